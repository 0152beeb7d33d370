//! The parts of a fabric that differ in another one: no path over them may be drawn while some switches have tables of
//! the other.

use tvlb_schema::{Dragonfly, End, FabricImage, FaultSet, GroupId, LocalLink};

/// Two fabrics with different numbers of switches or ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} is {one} in the one fabric and {other} in the other, so that switches, nodes and ports have other numbers"
)]
pub struct OtherSizes {
    pub what: &'static str,
    pub one: u32,
    pub other: u32,
}

/// All parts of a fabric that another one does not have, or that lead elsewhere there, as drained: the switches of
/// groups that it does not have with the same numbers of switches, nodes per switch and local links, and the cables and
/// local links between all others.
///
/// # Errors
/// The fabrics have other sizes, and so nothing in common.
///
/// # Example
/// ```
/// use tvlb_table_set::dead_parts::not_in;
/// use tvlb_schema::{Dragonfly, End, FabricImage, GlobalPort, GroupId, SwitchId, encode_fabric_image};
///
/// let end = |group, port| End { group: GroupId(group), port: GlobalPort(port) };
/// let fabric = |g, cables: &[(End, End)]| encode_fabric_image(&Dragonfly::new(1, 2, 2, g).unwrap(), cables);
/// let old = fabric(2, &[(end(0, 0), end(1, 0))]);
/// let new = fabric(3, &[(end(0, 0), end(1, 0)), (end(0, 1), end(1, 1)), (end(0, 2), end(2, 0))]);
/// let [old, new] = [&old, &new].map(|image| FabricImage::decode(image).unwrap());
/// let listed = not_in(&new, &old)?;
/// assert!(listed.switches == [SwitchId(4), SwitchId(5)].into() && listed.cables == [end(0, 1)].into());
/// assert!(not_in(&old, &new)?.is_empty());
/// # Ok::<(), tvlb_table_set::dead_parts::OtherSizes>(())
/// ```
pub fn not_in(fabric: &FabricImage<'_>, other: &FabricImage<'_>) -> Result<FaultSet, OtherSizes> {
    let (df, other_df) = (fabric.dragonfly(), other.dragonfly());
    let sizes = |df: &Dragonfly| [df.p(), df.a(), df.h(), df.local_ports()];
    let names = ["p", "a", "h", "the number of local ports of a switch"];
    for (what, (one, other)) in names.into_iter().zip(sizes(df).into_iter().zip(sizes(other_df))) {
        if one != other {
            return Err(OtherSizes { what, one, other });
        }
    }
    let mut listed = FaultSet { is_draining: true, ..FaultSet::default() };
    for group in df.groups() {
        if is_same_group(df, other_df, group) {
            listed.local_links.extend(other_links(fabric, other, group));
        } else {
            listed.switches.extend(df.switches_in(group));
        }
    }
    let is_listed = |end: End| {
        let switch = df.switch(end.group, df.split_port(end.port).0);
        listed.switches.contains(&switch)
    };
    let cables = fabric.cables().filter(|&(low, high)| other.peer(low) != Some(high));
    let cables = cables.filter(|&(low, high)| !is_listed(low) && !is_listed(high));
    listed.cables = cables.map(|(low, _)| low).collect();
    Ok(listed)
}

fn is_same_group(df: &Dragonfly, other: &Dragonfly, group: GroupId) -> bool {
    df.has_group(group) && other.has_group(group) && {
        let (one, other) = (df.kind_of(group), other.kind_of(group));
        (one.p, one.a, one.local_links) == (other.p, other.a, other.local_links)
    }
}

/// The links of pairs of switches of a group that share a different number of links in another fabric.
fn other_links<'f>(
    fabric: &'f FabricImage<'_>,
    other: &'f FabricImage<'_>,
    group: GroupId,
) -> impl Iterator<Item = LocalLink> + 'f {
    let df = fabric.dragonfly();
    let pairs = df.indices(group).flat_map(move |low| {
        df.indices(group).filter(move |&high| low < high).map(move |high| (low, high))
    });
    pairs.flat_map(move |(low, high)| {
        let links = |fabric: &FabricImage<'_>| fabric.planned_local_links(group, low, high);
        let count = if links(fabric) == links(other) { 0 } else { links(fabric) };
        let number = |number| u16::try_from(number).expect("two switches share at most 64 links");
        let low = df.switch(group, low);
        (0..count).map(move |nth| LocalLink { low, high, number: number(nth) })
    })
}
