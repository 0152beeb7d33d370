//! The certificate as a text: a line for each verified property.

use super::{Answers, Certificate, Extent, SchemeChannels, line};
use std::fmt;
use tvlb_schema::GroupKind;
use tvlb_table_set::UpdateRecord;

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = GroupKind::in_words(self.dragonfly, &self.kinds);
        line(f, "fabric", &format_args!("{}: {sizes}, identity {}", self.fabric, self.identity))?;
        line(
            f,
            "files",
            &format_args!(
                "{} images of {} bytes, hashes and checksums right",
                self.images, self.bytes
            ),
        )?;
        line(
            f,
            "wiring",
            &format_args!(
                "{} cable{}, the same from both ends and in every image",
                self.cables,
                if self.cables == 1 { "" } else { "s" }
            ),
        )?;
        if self.planned {
            line(
                f,
                "planned",
                &"the fabric file's sizes, cables and names, and all that it says of links",
            )?;
        }
        self.update.as_ref().map_or(Ok(()), |update| write_update(f, update))?;
        self.write_answers(f)?;
        self.write_extent(f)?;
        let [min, vlb, second] = self.longest;
        line(f, "", &format_args!("{} MIN, at most {min} hops", self.min_walks))?;
        let after = match second {
            0 => String::new(),
            hops => format!(", {hops} after PAR's second look"),
        };
        line(f, "", &format_args!("{} VLB, at most {vlb} hops{after}", self.vlb_walks))?;
        self.write_set_routes(f)?;
        let ([local, global], [most_local, most_global]) =
            (self.channels_in_use, self.channels_needed);
        line(
            f,
            "channels",
            &format_args!(
                "{}: {local} of {most_local} in use on local links, {global} of {most_global} on global ones",
                self.virtual_channels
            ),
        )?;
        SchemeChannels::write(&self.channels_by_scheme, f)?;
        self.channels_of_sets.write_pairs(f)?;
        let of_classes = if self.dependencies_are_of_classes {
            ", channels of one kind and number taken for one,"
        } else {
            ""
        };
        line(
            f,
            "deadlock",
            &format_args!(
                "{} channels wait for each other in {} ways{of_classes} without a cycle, so no deadlock can form",
                self.channels, self.dependencies
            ),
        )?;
        if let Some(beside) = &self.beside {
            let text =
                format_args!("packets that have met switches with {} included", beside.display());
            line(f, "", &text)?;
        }
        Ok(())
    }
}

impl Certificate {
    fn write_set_routes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["UGAL-L", "PAR", "PAR's second look"];
        for (number, name) in names.into_iter().enumerate() {
            let (routes, without) = (self.set_routes[number], self.pairs_without_route[number]);
            let twice = match self.set_routes_that_return[number] {
                0 => "none of which visits a switch twice".to_owned(),
                some => format!("{some} of which come back to a switch, as the set says"),
            };
            let text = format!("{routes} routes of {name}'s set, {twice}");
            if without == 0 {
                line(f, "", &text)?;
            } else {
                line(f, "", &format_args!("{text}; {without} pairs have none"))?;
            }
        }
        Ok(())
    }
}

/// The line about the dead parts of an update.
pub(in super::super) fn write_update(
    f: &mut fmt::Formatter<'_>,
    update: &UpdateRecord,
) -> fmt::Result {
    let UpdateRecord { epoch, dead, lost, .. } = update;
    let text = format_args!(
        "number {epoch}; {} global links {}, local links {}, switches {}; pairs without a minimal path {}",
        if dead.draining { "drained" } else { "dead" },
        dead.cables,
        dead.local_links,
        dead.switches,
        lost.min
    );
    line(f, "update", &text)
}

impl Certificate {
    fn write_answers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Answers { min, vlb, without_conventional, without_kept, missed } = self.answers;
        let pairs = self.pairs;
        let cut = self.update.as_ref().map_or(0, |update| update.lost.cut);
        if cut == 0 {
            line(f, "reachable", &format_args!("all {pairs} pairs of switches"))?;
        } else {
            let joined = pairs - cut;
            let text =
                format_args!("{joined} of {pairs} pairs of switches; the others are cut off");
            line(f, "reachable", &text)?;
        }
        if vlb == min {
            let text = "the datapath for a MIN path and for VLB paths of every pair";
            line(f, "asked", &text)?;
        } else {
            line(
                f,
                "asked",
                &format_args!(
                    "the datapath for a MIN path of every pair and for VLB paths of {vlb} pairs"
                ),
            )?;
        }
        for (count, text) in [
            (without_conventional, "pairs have no conventional VLB path"),
            (without_kept, "pairs have no path of some set, or the datapath found none"),
            (missed, "times it found no path where there is one, and found it when asked again"),
        ] {
            if count > 0 {
                line(f, "", &format_args!("{count} {text}"))?;
            }
        }
        Ok(())
    }

    fn write_extent(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Extent::Sampled { pairs, in_part, not_counted, not_searched, seed } = self.extent
        else {
            return line(f, "walked", &"every path of every pair");
        };
        line(
            f,
            "walked",
            &format_args!(
                "every MIN and VLB path; routes of sets of {pairs} pairs, a sample by seed {seed}"
            ),
        )?;
        for (count, text) in [
            (in_part, "pairs of the sample have more routes of sets than were walked"),
            (not_counted, "pairs of the sample have too many routes of sets to count"),
            (
                not_searched,
                "pairs were not searched for the shapes that a fraction or thinning leaves; \
                 the digest of all pairs is right",
            ),
        ] {
            if count > 0 {
                line(f, "", &format_args!("{count} {text}"))?;
            }
        }
        Ok(())
    }
}
