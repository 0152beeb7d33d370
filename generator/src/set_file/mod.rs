//! Path sets as files, for other programs: a set file says exactly how each decision of a table set is made, and
//! reading it gives the policies that were written ([`SetFile`]). `docs/reference/set-files.md` describes it for users.

use crate::policy::{Levels, Policy};
use crate::table_policies::TablePolicies;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};
use tvlb_base::text::{cut, quoted};
use tvlb_schema::{
    Decision, Dragonfly, Level, MinCandidate, PerDecision, SetRule, Shape, SwitchId, Weighing,
};
use tvlb_table_set::OpenWeighing;
use tvlb_table_set::grammar::{canonical, parse_set};
use tvlb_table_set::input_file;

/// The format.
const FORMAT: &str = "tvlb path sets 1";
/// Levels take some bytes for each global port of a group, switch by switch.
const MOST_BYTES: u64 = 256 << 20;

/// How each decision is made, as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SetFile {
    /// `tvlb path sets 1`.
    pub format: String,
    /// The fabric of the sets.
    pub fabric: FabricOfSets,
    /// By decision.
    pub decisions: PerDecision<DecisionEntry>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FabricOfSets {
    pub name: String,
    /// The identity of its fabric image, 16 hexadecimal digits. A file without it is for any fabric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
}

/// One decision. `set` and `seed` define the set; `draw` and `shapes` repeat it for readers who do not know the grammar
/// of sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DecisionEntry {
    /// In the grammar of sets.
    pub set: String,
    /// The seed of the routes in a fraction.
    pub seed: u64,
    /// How the set is drawn, by its [name](tvlb_schema::DrawRule::name).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<String>,
    /// The shapes of the kept routes, by rising number; absent for a set of intermediate switches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shapes: Option<Vec<ShapeEntry>>,
    /// How the decision weighs MIN against VLB, in the words that follow the set in a policy.
    #[serde(default)]
    pub weighing: OpenWeighing,
    /// By number, the switches that thin the set: a level, 3 to 15, for each global port of its group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub thinned: BTreeMap<u16, Vec<u8>>,
}

/// The part of a shape that a set keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShapeEntry {
    /// Local hops in the three groups.
    pub shape: String,
    /// The kept share of its routes, in percent.
    pub percent: f64,
    /// Its weight, if the set is drawn by shape.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<u16>,
}

/// Why a set file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SetFileError {
    #[error("{path}: cannot read it: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path}: not a set file: {source}")]
    Json { path: PathBuf, source: serde_json::Error },
    #[error("{path}: {field} is {found}, accepted {accepted}")]
    Field { path: PathBuf, field: String, found: String, accepted: String },
}

impl SetFile {
    /// The file of these policies.
    ///
    /// # Example
    /// ```
    /// use tvlb_generator::policy::Policy;
    /// use tvlb_generator::set_file::{FabricOfSets, SetFile};
    /// use tvlb_schema::PerDecision;
    ///
    /// let policies = PerDecision::same(Policy::parse("60% 5-hop by shape T=-2 1x4", 7)?);
    /// let fabric = FabricOfSets { name: "lab".to_owned(), identity: None };
    /// let file = SetFile::of(&policies, fabric);
    /// assert_eq!(file.decisions.ugal_l.set, "60% 5-hop by shape");
    /// assert_eq!(file.decisions.ugal_l.weighing.threshold, Some(-2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(policies: &PerDecision<Policy>, fabric: FabricOfSets) -> Self {
        let decisions = policies.map(|policy| {
            let Policy { rule, weighing, min, levels } = policy;
            let is_thinned = |(_, levels): &(u16, &Vec<Level>)| !levels.is_empty();
            let of_switches = (0_u16..).zip(levels.iter()).filter(is_thinned);
            let numbers = |levels: &Vec<Level>| levels.iter().map(|level| level.number()).collect();
            DecisionEntry {
                set: canonical(rule),
                seed: rule.seed,
                draw: Some(rule.draw.name().to_owned()),
                shapes: shapes(rule),
                weighing: OpenWeighing::closed(*weighing, *min),
                thinned: of_switches.map(|(switch, levels)| (switch, numbers(levels))).collect(),
            }
        });
        Self { format: FORMAT.to_owned(), fabric, decisions }
    }

    /// The file of a table set's policies.
    pub fn of_tables(tables: &TablePolicies, name: &str) -> Self {
        let identity = Some(format!("{:016x}", tables.fabric_identity));
        Self::of(&tables.policies, FabricOfSets { name: name.to_owned(), identity })
    }

    pub fn to_json(&self) -> Vec<u8> {
        let mut json = serde_json::to_vec_pretty(self).expect("a set file has only string keys");
        json.push(b'\n');
        json
    }

    /// Reads a file, and returns its policies on a fabric of this identity.
    ///
    /// # Errors
    /// A file that cannot be read, is for another fabric, or is invalid.
    pub fn read(
        path: &Path,
        df: &Dragonfly,
        identity: u64,
    ) -> Result<PerDecision<Policy>, SetFileError> {
        let bytes = input_file::read_given(path, MOST_BYTES)
            .map_err(|source| SetFileError::Io { path: path.to_owned(), source })?;
        let file: Self = serde_json::from_slice(&bytes)
            .map_err(|source| SetFileError::Json { path: path.to_owned(), source })?;
        let reader = PolicyReader { path, df };
        if file.format != FORMAT {
            return Err(reader.refuse("format", &quoted(&file.format), &format!("{FORMAT:?}")));
        }
        let identity = format!("{identity:016x}");
        if let Some(found) = file.fabric.identity.filter(|found| *found != identity) {
            let accepted =
                format!("{identity}, that of the fabric file; without it a set file is for any");
            return Err(reader.refuse("fabric.identity", &quoted(&found), &accepted));
        }
        let PerDecision { ugal_l, par_source, par_second } = &file.decisions;
        Ok(PerDecision {
            ugal_l: reader.policy(Decision::UgalL, ugal_l)?,
            par_source: reader.policy(Decision::ParSource, par_source)?,
            par_second: reader.policy(Decision::ParSecond, par_second)?,
        })
    }
}

/// The part of each shape that a set keeps; `None` for a set of switches, defined by its legs, and of triples.
fn shapes(rule: &SetRule) -> Option<Vec<ShapeEntry>> {
    let entry = |shape: Shape| ShapeEntry {
        shape: shape.to_string(),
        percent: f64::from(rule.keep_of(shape).parts()) / 100.0,
        weight: rule.is_by_shape().then(|| rule.weight_of(shape)),
    };
    rule.is_of_routes().then(|| rule.shapes().iter().map(entry).collect())
}

/// Turns the contents of a file into policies.
struct PolicyReader<'f> {
    path: &'f Path,
    df: &'f Dragonfly,
}

impl PolicyReader<'_> {
    fn refuse(&self, field: &str, found: &dyn Display, accepted: &dyn Display) -> SetFileError {
        SetFileError::Field {
            path: self.path.to_owned(),
            field: field.to_owned(),
            found: found.to_string(),
            accepted: accepted.to_string(),
        }
    }

    fn policy(&self, decision: Decision, entry: &DecisionEntry) -> Result<Policy, SetFileError> {
        let field = |name: &str| format!("decisions.{}.{name}", decision.name());
        let DecisionEntry { set, seed, draw, shapes: of_shapes, weighing, thinned } = entry;
        let (weighing, min) = weighing.over(Weighing::default(), MinCandidate::Kept);
        let rule = parse_set(set, *seed).map_err(|error| {
            self.refuse(&field("set"), &quoted(set), &format!("a set of the grammar: {error}"))
        })?;
        let means = rule.draw.name();
        if let Some(found) = draw.as_ref().filter(|draw| *draw != means) {
            let accepted = format!("{means:?}, which the set {:?} says", canonical(&rule));
            return Err(self.refuse(&field("draw"), &quoted(found), &accepted));
        }
        if let Some(found) = of_shapes
            && Some(found) != shapes(&rule).as_ref()
        {
            let named =
                found.iter().map(|entry| entry.shape.as_str()).collect::<Vec<_>>().join(", ");
            let accepted = format!("what the set {:?} says, or nothing", canonical(&rule));
            return Err(self.refuse(
                &field("shapes"),
                &format!("a list of {}", cut(&named)),
                &accepted,
            ));
        }
        if decision != Decision::ParSecond && min != MinCandidate::Kept {
            return Err(self.refuse(
                &field("weighing"),
                &quoted(entry.weighing.to_string().trim_start()),
                &"no MIN, since only PAR's second look has one",
            ));
        }
        if !rule.is_of_routes() && !thinned.is_empty() {
            let found = format!("of {} switches", thinned.len());
            return Err(self.refuse(
                &field("thinned"),
                &found,
                &"nothing: a set of switches or of triples cannot be thinned",
            ));
        }
        Ok(Policy { rule, weighing, min, levels: self.levels(&field("thinned"), thinned)? })
    }

    fn levels(
        &self,
        field: &str,
        thinned: &BTreeMap<u16, Vec<u8>>,
    ) -> Result<Levels, SetFileError> {
        if thinned.is_empty() {
            return Ok(Levels::default());
        }
        let mut all = vec![Vec::new(); self.df.switch_numbers() as usize];
        let ports = self.df.global_ports().count();
        for (&number, levels) in thinned {
            let field = format!("{field}.{number}");
            if !self.df.has_switch(SwitchId(number)) {
                let accepted = format!("a switch of the fabric, up to {}", self.df.last_switch());
                return Err(self.refuse(&field, &"of no switch", &accepted));
            }
            if levels.len() != ports {
                let found = format!("a list of {}", levels.len());
                return Err(self.refuse(
                    &field,
                    &found,
                    &format!("{ports} levels, one for each global port of a group"),
                ));
            }
            let read = |&number: &u8| Level::new(number).ok_or(number);
            let read: Result<Vec<Level>, u8> = levels.iter().map(read).collect();
            let read = read.map_err(|found| {
                self.refuse(&field, &format!("a list with {found}"), &"levels of 3 to 15")
            })?;
            if read.iter().any(|&level| level != Level::ALL) {
                all[usize::from(number)] = read;
            }
        }
        let is_thinned = all.iter().any(|levels| !levels.is_empty());
        Ok(if is_thinned { all.into() } else { Levels::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn df() -> Dragonfly {
        Dragonfly::new(2, 4, 2, 9).unwrap()
    }

    fn policies() -> PerDecision<Policy> {
        let parse = |text| Policy::parse(text, 7).unwrap();
        let level = Level::new(11).unwrap();
        let mut levels = vec![Vec::new(); 36];
        levels[3] = vec![level; 8];
        let thinned =
            Policy { levels: levels.into(), ..parse("60% 5-hop by shape T=-2 1x4 gate=1.25") };
        PerDecision {
            ugal_l: thinned,
            par_source: parse("switches:2-3 with returns"),
            par_second: parse("3*all, 12.5% only:011 MIN=any"),
        }
    }

    fn text() -> String {
        let fabric = FabricOfSets { name: "lab".to_owned(), identity: Some(format!("{:016x}", 5)) };
        String::from_utf8(SetFile::of(&policies(), fabric).to_json()).unwrap()
    }

    fn read(text: &str) -> Result<PerDecision<Policy>, String> {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("sets.json");
        fs::write(&path, text).unwrap();
        let found = SetFile::read(&path, &df(), 5);
        found
            .map_err(|error| error.to_string().replace(&format!("{}", path.display()), "sets.json"))
    }

    #[test]
    fn what_is_written_is_read_alike() {
        insta::assert_snapshot!(text());
        assert_eq!(read(&text()).unwrap(), policies());
        // Redundant keys may be left out, and so may the fabric.
        let mut value: serde_json::Value = serde_json::from_str(&text()).unwrap();
        value["fabric"].as_object_mut().unwrap().remove("identity");
        for decision in Decision::ALL {
            let entry = value["decisions"][decision.name()].as_object_mut().unwrap();
            entry.remove("draw");
            entry.remove("shapes");
        }
        assert_eq!(read(&value.to_string()).unwrap(), policies());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (from, to, expected) in [
            (
                "path sets 1",
                "path sets 2",
                "sets.json: format is \"tvlb path sets 2\", accepted \"tvlb path sets 1\"",
            ),
            (
                "0000000000000005",
                "0000000000000006",
                "sets.json: fabric.identity is \"0000000000000006\", accepted 0000000000000005",
            ),
            (
                "60% 5-hop by shape",
                "60% 7-hop by shape",
                "sets.json: decisions.ugal-l.set is \"60% 7-hop by shape\", accepted a set of the grammar: column 5",
            ),
            (
                "\"draw\": \"by-shape\"",
                "\"draw\": \"by-route\"",
                "decisions.ugal-l.draw is \"by-route\", accepted \"by-shape\", which the set",
            ),
            (
                "\"percent\": 60.0",
                "\"percent\": 61.0",
                "decisions.ugal-l.shapes is a list of 000, ",
            ),
            (
                "MIN=kept",
                "MIN=any",
                "MIN=any\", accepted no MIN, since only PAR's second look has one",
            ),
            (
                "\"3\": [",
                "\"36\": [",
                "decisions.ugal-l.thinned.36 is of no switch, accepted a switch of the fabric, up to 35",
            ),
            (
                "\"3\": [",
                "\"3\": [4,",
                "decisions.ugal-l.thinned.3 is a list of 9, accepted 8 levels",
            ),
            (
                "          11,",
                "          2,",
                "decisions.ugal-l.thinned.3 is a list with 2, accepted levels of 3 to 15",
            ),
            (
                "\"weighing\"",
                "\"weighting\"",
                "sets.json: not a set file: unknown field `weighting`",
            ),
            (
                "1x4 ",
                "1x9 ",
                "sets.json: not a set file: 1x9, accepted the numbers of MIN and VLB candidates",
            ),
            ("{", "", "sets.json: not a set file: "),
        ] {
            let error = read(&text().replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(expected), "{from} -> {to}: {error}");
        }
        let thinned = "\"thinned\": {\"0\": [3]}, \"set\": \"switches:2-3 with returns\"";
        let error =
            read(&text().replace("\"set\": \"switches:2-3 with returns\"", thinned)).unwrap_err();
        assert!(
            error.contains("decisions.par-source.thinned is of 1 switches, accepted nothing"),
            "{error}"
        );
    }
}
