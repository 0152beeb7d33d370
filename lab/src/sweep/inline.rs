//! A study on the command line: a fabric, and axes such as `scheme=min,par` or `load=0.1:0.5:0.1`, made into the table
//! that a study file would have.

use toml::{Table, Value};

/// The lists of a study and their names as axes.
const LISTS: [(&str, &str); 8] = [
    ("fabric", "fabrics"),
    ("scheme", "schemes"),
    ("set", "sets"),
    ("fault", "faults"),
    ("traffic", "traffic"),
    ("placement", "placements"),
    ("load", "loads"),
    ("seed", "seeds"),
];

/// What a study can measure instead of loads, and the keys for it.
const MEASURED: [&str; 9] =
    ["saturation", "curve", "burst", "all-to-all", "model", "paths", "links", "jobs", "course"];

/// The axis by which runs are of cut-through switches.
const ROUTING: &str = "routing";

/// The usual lists: of schemes, sets and loads, those that a newcomer compares.
const SCHEMES: [&str; 3] = ["min", "ugal-l", "par"];
const SET: &str = "conventional";
const LOADS: &str = "0.1:0.5:0.1";

/// The table of a study of a fabric along axes, each `NAME=VALUES`: of a list of the study, of the measurement, or of a
/// setting. Commas outside brackets separate values.
///
/// # Errors
/// The first axis that has no values, or one twice.
pub(super) fn table(fabric: &str, axes: &[String]) -> Result<Table, String> {
    let mut study = Table::new();
    let mut others: Vec<(String, Vec<Value>)> = Vec::new();
    let mut fabrics = vec![Value::from(fabric)];
    for axis in axes {
        let (name, values) = parse(axis)?;
        let list = LISTS.iter().find(|(one, all)| *one == name || *all == name);
        if let Some((_, list)) = list {
            if *list == "fabrics" {
                fabrics.extend(values);
            } else if study.insert((*list).to_owned(), values.into()).is_some() {
                return Err(twice(&name));
            }
            continue;
        }
        let key = name.split('.').next().unwrap_or_default();
        if MEASURED.contains(&key) {
            put(&mut study, &name, one_or_all(values))?;
        } else if others.iter().any(|(other, _)| *other == name) {
            return Err(twice(&name));
        } else {
            others.push((name, values));
        }
    }
    study.insert("fabrics".to_owned(), fabrics.into());
    let is_cut_through = others.iter().any(|(name, _)| name == ROUTING);
    if is_cut_through {
        study.insert("cut-through".to_owned(), lines(&others)?.into());
    } else {
        for (name, values) in others {
            put(&mut study, &format!("settings.{name}"), values.into())?;
        }
    }
    add_usual(&mut study, is_cut_through);
    Ok(study)
}

/// Adds the defaults of lists that no axis names.
fn add_usual(study: &mut Table, is_cut_through: bool) {
    let traffic = if is_cut_through { "uniform-others" } else { "uniform" };
    let mut usual = vec![("traffic", Value::from(vec![traffic])), ("seeds", vec![1].into())];
    if !is_cut_through {
        usual.push(("schemes", SCHEMES.to_vec().into()));
        usual.push(("sets", vec![SET].into()));
    }
    if !MEASURED.iter().any(|key| *key != "course" && study.contains_key(*key)) {
        usual.push(("loads", vec![LOADS].into()));
    }
    for (key, value) in usual {
        study.entry(key).or_insert(value);
    }
}

/// An axis: its name and its values.
fn parse(axis: &str) -> Result<(String, Vec<Value>), String> {
    let refused = || {
        format!(
            "--axis: found {}, accepted NAME=VALUES, as in scheme=min,par",
            tvlb_base::text::quoted(axis)
        )
    };
    let (name, values) = axis.split_once('=').ok_or_else(refused)?;
    let name = name.trim();
    if name.is_empty() || values.trim().is_empty() {
        return Err(refused());
    }
    let mut all = vec![String::new()];
    let mut depth = 0_u32;
    for letter in values.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().expect("there is a first value").push(letter);
    }
    Ok((name.to_owned(), all.iter().map(|text| value(text.trim())).collect()))
}

/// A number, true or false, or a table as TOML has it; any other text as it is.
fn value(text: &str) -> Value {
    let read: Option<Table> = format!("value = {text}").parse().ok();
    let found = read.and_then(|mut table| table.remove("value"));
    found.filter(|value| !value.is_datetime()).unwrap_or_else(|| text.into())
}

fn one_or_all(mut values: Vec<Value>) -> Value {
    if values.len() == 1 { values.remove(0) } else { values.into() }
}

fn twice(name: &str) -> String {
    format!("--axis: found {name} twice, accepted each axis once")
}

/// Puts a value under a name, in which points separate the names of tables.
fn put(table: &mut Table, name: &str, value: Value) -> Result<(), String> {
    let Some((first, rest)) = name.split_once('.') else {
        return match table.insert(name.to_owned(), value) {
            None => Ok(()),
            Some(_) => Err(twice(name)),
        };
    };
    let inner = table.entry(first).or_insert_with(|| Table::new().into());
    inner.as_table_mut().map_or_else(|| Err(twice(first)), |inner| put(inner, rest, value))
}

/// The lines of cut-through switches: every combination, called by its routing and by the axes that have several
/// values.
fn lines(axes: &[(String, Vec<Value>)]) -> Result<Vec<Value>, String> {
    let mut all = vec![(String::new(), Table::new())];
    for (name, values) in axes {
        let mut with = Vec::new();
        for (said, line) in &all {
            for value in values {
                let mut line = line.clone();
                put(&mut line, name, value.clone())?;
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let own = match (name == ROUTING, values.len()) {
                    (true, _) => text,
                    (false, 1) => String::new(),
                    (false, _) => format!("{name} {text}"),
                };
                let gap = if said.is_empty() || own.is_empty() { "" } else { ", " };
                with.push((format!("{said}{gap}{own}"), line));
            }
        }
        all = with;
    }
    let named = all.into_iter().map(|(name, mut line)| {
        line.insert("line".to_owned(), name.into());
        Value::from(line)
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(axes: &[&str]) -> Result<String, String> {
        let axes: Vec<String> = axes.iter().map(|axis| (*axis).to_owned()).collect();
        table("dfly(2,4,2,9)", &axes).map(|table| table.to_string())
    }

    #[test]
    fn axes_are_lists_settings_and_what_is_measured() {
        let axes = ["scheme=par", "traffic=uniform,shift(2,0)", "buffer=16,32", "seed=1,2"];
        let expected = "fabrics = [\"dfly(2,4,2,9)\"]\nloads = [\"0.1:0.5:0.1\"]\nschemes = [\"par\"]\n\
            seeds = [1, 2]\nsets = [\"conventional\"]\ntraffic = [\"uniform\", \"shift(2,0)\"]\n\n\
            [settings]\nbuffer = [16, 32]\n";
        assert_eq!(said(&axes).unwrap(), expected);
        let found = said(&["saturation.resolution=0.05", "fabric=dfly(2,4,2,5)"]).unwrap();
        assert!(found.contains("resolution = 0.05") && !found.contains("loads"), "{found}");
        assert!(found.contains("fabrics = [\"dfly(2,4,2,9)\", \"dfly(2,4,2,5)\"]"), "{found}");
    }

    #[test]
    fn routings_are_lines_of_cut_through_switches() {
        let found = said(&["routing=pb,ofar", "local-buffer=32,64", "rounds=2"]).unwrap();
        let names = ["pb, local-buffer 32", "ofar, local-buffer 64"];
        assert!(names.iter().all(|name| found.contains(&format!("line = \"{name}\""))), "{found}");
        assert_eq!(found.matches("rounds = 2").count(), 4, "{found}");
        let found = said(&["routing=ofar", "rules.strict=true"]).unwrap();
        assert!(found.contains("line = \"ofar\"") && found.contains("strict = true"), "{found}");
    }

    #[test]
    fn what_is_wrong_with_an_axis_is_named() {
        for (axes, expected) in [
            (&["scheme"][..], "found \"scheme\", accepted NAME=VALUES"),
            (&["load="], "found \"load=\", accepted NAME=VALUES"),
            (&["load=0.1", "loads=0.2"], "found loads twice"),
            (&["buffer=16", "buffer=32"], "found buffer twice"),
            (&["burst=5", "burst.much=5"], "found burst twice"),
        ] {
            let error = said(axes).unwrap_err();
            assert!(error.contains(expected), "{axes:?}: {error}");
        }
    }
}
