use super::*;
use tvlb_schema::GroupKind;

const NAMES: &str = "group,switch,port,name,physical\n\
    0,0,,Voltaire 4036 # g0s0,\n\
    0,1,,\"a, \"\"b\"\"\",\n\
    1,0,,17,\n\
    1,1,,3,\n\
    0,0,node 0,node00 HCA-1,\n\
    0,0,node 1,node00 HCA-2,\n\
    0,1,node 0,twin,\n\
    0,1,node 1,twin,\n\
    1,0,node 0,0,\n\
    0,0,global 0,Voltaire 4036 # g0s0[3],\n\
    0,1,global 0,both,\n\
    1,0,global 0,both,\n";

/// Two groups of two switches, and one of one switch with one node.
fn df() -> Dragonfly {
    let kind = |p, a, g| GroupKind::new(p, a, 1, g);
    Dragonfly::of_kinds(&[kind(2, 2, 2), kind(1, 1, 1)]).unwrap()
}

fn with_parts<T>(ask: impl FnOnce(&Parts<'_>) -> T) -> T {
    let df = df();
    let names = Names::read(&df, NAMES).unwrap();
    ask(&Parts::new(&df, &names))
}

#[test]
fn a_switch_is_a_number_a_place_or_a_name() {
    let switch = |text: &str| {
        with_parts(|parts| parts.switch(text)).map(|switch| switch.0).map_err(|e| e.to_string())
    };
    for (text, number) in [
        ("1", 1),
        ("(1,0)", 2),
        ("( 1 , 0 )", 2),
        ("Voltaire 4036 # g0s0", 0),
        ("\"Voltaire 4036 # g0s0\"", 0),
        ("a, \"b\"", 1),
        ("\"a, \"\"b\"\"\"", 1),
        // No switch has this number, so it can only be a name.
        ("17", 2),
        // Switch 3 is called by its own number.
        ("3", 3),
        ("\"3\"", 3),
    ] {
        assert_eq!(switch(text), Ok(number), "{text}");
    }
    for (text, said) in [
        ("5", "there is no switch 5; switches are 0 to 4, with gaps after those of smaller groups"),
        ("(3,0)", "there is no switch 0 in group 3; groups are 0 to 2"),
        ("(2,1)", "there is no switch 1 in group 2; its switches are 0 to 0"),
        (
            "-1",
            "\"-1\" is not a switch; accepted a number, (GROUP,SWITCH) or a name of the list of names",
        ),
        (
            "Voltaire 4036",
            "\"Voltaire 4036\" is not a switch; accepted a number, (GROUP,SWITCH) or a name of the list of \
             names (a # after a blank begins a comment; a name that has one stands in quotes, as in \
             \"Voltaire 4036 # g0s0\")",
        ),
    ] {
        assert_eq!(switch(text), Err(said.to_owned()), "{text}");
    }
    let df = df();
    let none = Names::default();
    let error = Parts::new(&df, &none).switch("x").unwrap_err().to_string();
    assert_eq!(
        error,
        "\"x\" is not a switch; accepted a number or (GROUP,SWITCH); the fabric has no names of switches"
    );
}

#[test]
fn a_node_is_a_number_or_a_name() {
    let node = |text: &str| {
        with_parts(|parts| parts.node(text)).map(|node| node.0).map_err(|e| e.to_string())
    };
    for (text, number) in [("1", 1), ("node00 HCA-2", 1), ("\"0\"", 4), ("8", 8)] {
        assert_eq!(node(text), Ok(number), "{text}");
    }
    for (text, said) in [
        (
            "0",
            "0 is the number of one node and the name of another; accepted the name in quotes, as in \"0\", \
             or the name of the node that has the number",
        ),
        (
            "twin",
            "\"twin\" is the name of 2 nodes, among them nodes 2 and 3; accepted the number of one",
        ),
        ("9", "there is no node 9; the last node is 8"),
        ("node-1", "\"node-1\" is not a node; accepted a number or a name of the list of names"),
    ] {
        assert_eq!(node(text), Err(said.to_owned()), "{text}");
    }
    let df = df();
    let none = Names::default();
    assert_eq!(Parts::new(&df, &none).node("node-7"), Ok(NodeId(7)));
}

#[test]
fn a_name_of_several_ports_is_refused() {
    with_parts(|parts| {
        let global = Some((SwitchId(0), NamedPort::Global(0)));
        assert_eq!(parts.port("\"Voltaire 4036 # g0s0[3]\""), Ok(global));
        assert_eq!(parts.port("none"), Ok(None));
        assert_eq!(
            parts.port("both").unwrap_err().to_string(),
            "\"both\" is the name of 2 ports, among them ports global 0 of switch 1 and global 0 of switch 2; \
             accepted the port by number"
        );
    });
}

#[test]
fn lists_of_nodes_take_numbers_and_names() {
    with_parts(|parts| {
        let list = |text: &str| -> Result<Vec<(usize, u32)>, String> {
            let nodes = parts.node_list(text).map_err(|error| error.to_string())?;
            Ok(nodes.into_iter().map(|listed| (listed.line, listed.node.0)).collect())
        };
        // A name counts once, numbers as often as they stand.
        let text = "# ranks\ntwin\nnode00 HCA-1 # first\ntwin\n\n8\n8\n";
        assert_eq!(list(text), Ok(vec![(2, 2), (2, 3), (3, 0), (6, 8), (7, 8)]));
        assert!(list("8\nnode01").unwrap_err().starts_with("line 2: \"node01\" is not a node; "));
    });
}
