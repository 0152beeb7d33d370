//! A shortcut for a host to the links of a switch: which of the links between two groups are a switch's own, as bits.
//!
//! Drawing by intermediate switch needs the distances of many switches, and examines each link between their groups for
//! them ([`crate::draw`]); drawing by shape asks switches for their links to a group, and scans all ports of each
//! ([`crate::draw`]). A program that boots all switches of a fabric has memory for the answers, which a switch does not
//! have: [`LinkMasks`] holds them once for all, in words that the program provides. The draws are the same.

use tvlb_schema::{FabricImage, GroupId, SwitchIndex};

/// For each two groups and each switch of the first: a word in which bit k is set if the k-th of the links between the
/// two is the switch's.
///
/// # Example
/// ```
/// use tvlb_firmware_model::{LinkMasks, Switch};
/// use tvlb_schema::FabricImage;
///
/// # let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/v3/");
/// # let fabric_image = std::fs::read(format!("{golden}fabric.tvlb"))?;
/// # let switch_image = std::fs::read(format!("{golden}switch-00005.tvlb"))?;
/// let fabric = FabricImage::decode(&fabric_image)?;
/// // dfly(2,4,2,9): one word for each of 9 times 9 pairs of groups and each of 4 switches.
/// let mut words = vec![0; LinkMasks::word_count(&fabric).unwrap_or(0)];
/// assert_eq!(words.len(), 9 * 9 * 4);
/// let masks = LinkMasks::fill(&fabric, &mut words).ok_or("too few words")?;
/// let switch = Switch::boot_in(&fabric, &switch_image)?.with_link_masks(masks);
/// # let _ = switch;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinkMasks<'m> {
    words: &'m [u32],
    a: u32,
    g: u32,
    /// The identity of their fabric.
    identity: u64,
    /// Whether no switch has more than one link to a group.
    are_single: bool,
}

impl<'m> LinkMasks<'m> {
    /// How many words the masks of a fabric take; `None` if two groups share more links than a word has bits.
    pub fn word_count(fabric: &FabricImage<'_>) -> Option<usize> {
        let df = fabric.dragonfly();
        let words = u64::from(df.g()) * u64::from(df.g()) * u64::from(df.a());
        (fabric.most_links() <= u32::BITS).then_some(usize::try_from(words).ok()?)
    }

    /// The masks of a fabric, in the first of these words; `None` if there are fewer than [`Self::word_count`], or if
    /// that is `None`.
    pub fn fill(fabric: &FabricImage<'_>, words: &'m mut [u32]) -> Option<Self> {
        let df = fabric.dragonfly();
        let (a, g) = (df.a(), df.g());
        let words = words.get_mut(..Self::word_count(fabric)?)?;
        words.fill(0);
        for from in df.group_numbers() {
            for to in df.group_numbers() {
                for k in 0..fabric.link_count(from, to) {
                    let (out, _) = fabric.link(from, to, k)?;
                    let place = place(g, a, (from, to), df.split_port(out).0);
                    *words.get_mut(place)? |= 1 << k;
                }
            }
        }
        Self::of_words(fabric, words)
    }

    /// The masks of a fabric from the words that [`Self::fill`] has filled for it; `None` unless there are exactly
    /// [`Self::word_count`] of them.
    pub fn of_words(fabric: &FabricImage<'_>, words: &'m [u32]) -> Option<Self> {
        let df = fabric.dragonfly();
        let is_whole = Self::word_count(fabric) == Some(words.len());
        let are_single = fabric.most_links_of_switch() == 1;
        let identity = fabric.identity();
        is_whole.then_some(Self { words, a: df.a(), g: df.g(), identity, are_single })
    }

    /// Whether these are the masks of this fabric.
    pub(crate) fn are_of(&self, fabric: &FabricImage<'_>) -> bool {
        self.identity == fabric.identity()
    }

    /// Which of the links to another group is a switch's, if no switch has several to one group; `None` if one may
    /// have, because their order is not that of its ports.
    #[inline]
    pub(crate) fn only_link(
        &self,
        (group, index): (GroupId, SwitchIndex),
        to: GroupId,
    ) -> Option<u32> {
        let place = place(self.g, self.a, (group, to), index);
        if self.are_single { self.words.get(place).copied() } else { None }
    }

    /// Which of the links between two groups leave this switch of the first, and which arrive at that switch of the
    /// second. Both directions of a cable have the same number.
    #[inline]
    pub(crate) fn of_leg(
        &self,
        (from, to): (GroupId, GroupId),
        (leaves, arrives): (SwitchIndex, SwitchIndex),
    ) -> (u32, u32) {
        let mask = |groups, index| {
            self.words.get(place(self.g, self.a, groups, index)).copied().unwrap_or(0)
        };
        (mask((from, to), leaves), mask((to, from), arrives))
    }
}

/// The position of the mask of a switch of the first group.
#[inline]
fn place(g: u32, a: u32, (from, to): (GroupId, GroupId), index: SwitchIndex) -> usize {
    let pair = (u32::from(from.0) * g).wrapping_add(to.0.into());
    pair as usize * a as usize + usize::from(index.0)
}
