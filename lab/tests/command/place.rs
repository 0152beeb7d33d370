//! `tvlb-lab place`: where the ranks of jobs run, and one clear error for each kind of bad input.

use crate::scratch::Scratch;
use insta::assert_snapshot;

fn small() -> Scratch {
    Scratch::with_sizes(2, 4, 2, 9)
}

fn text(scratch: &Scratch, name: &str) -> String {
    String::from_utf8(scratch.read(name)).unwrap()
}

#[test]
fn jobs_are_placed_one_after_the_other() {
    let scratch = small();
    let place = "place fabric.toml --jobs 72x2,72x2 --with spread --map bisect --graph halo3d:6x4x3 \
                 -o ranks.csv --rankfile ranks --hostfile hosts --host-list list";
    assert_snapshot!("place", scratch.succeeds(place));
    let ranks = text(&scratch, "ranks.csv");
    let rows: Vec<Vec<u32>> = ranks
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|field| field.parse().unwrap()).collect())
        .collect();
    assert_eq!(rows.len(), 144);
    for row in &rows {
        let [_, _, node, switch, group] = row[..] else { panic!("{row:?}") };
        assert_eq!((switch, group), (node / 2, node / 8));
    }
    // Two jobs of 36 nodes with two ranks on each fill the machine.
    let mut nodes: Vec<u32> = rows.iter().map(|row| row[2]).collect();
    nodes.sort_unstable();
    assert_eq!(nodes, (0..72).flat_map(|node| [node, node]).collect::<Vec<_>>());
    let first = rows[0][2];
    assert!(text(&scratch, "ranks-0").starts_with(&format!("rank 0=node-{first} slot=")));
    assert!(text(&scratch, "list-0").starts_with(&format!("node-{first}\n")));
    assert_eq!(text(&scratch, "list-1").lines().count(), 72);
    assert!(
        text(&scratch, "hosts-0").starts_with("node-0 slots=2\nnode-1 slots=2\nnode-2 slots=2\n")
    );
    // The same again, word for word, and as JSON.
    scratch.succeeds(&place.replace("ranks.csv", "again.csv"));
    assert_eq!(text(&scratch, "again.csv"), ranks);
    let json: serde_json::Value =
        serde_json::from_str(&scratch.succeeds(&format!("{place} --json"))).unwrap();
    assert_eq!(json["jobs"][1]["nodes"], 36);
    assert!(json["jobs"][1]["shares"]["between-groups"].is_f64());
    assert_eq!(json["requests"][1][0]["scheduler"], "Slurm");
}

#[test]
fn flows_of_jobs_are_what_the_model_reads() {
    let scratch = small();
    // Two ranks on a node: what they send each other is no flow. Rank 2 sends half of what rank 0 does.
    scratch.write("messages.csv", "from,to,bytes\n0,1,50\n0,2,30\n0,3,10\n2,1,20\n");
    let place = "place fabric.toml --jobs 4x2 --with spread --graph messages:messages.csv";
    scratch.succeeds(&format!("{place} --flows flows.csv"));
    assert_eq!(
        text(&scratch, "flows.csv"),
        "source-node,destination-node,demand\n0,1,1\n1,0,0.5\n"
    );
    // A job of the whole machine that sends as `complement` does is modelled as `complement` is.
    let messages: Vec<String> = (0..72).map(|rank| format!("{rank},{},7", 71 - rank)).collect();
    scratch.write("messages.csv", format!("from,to,bytes\n{}\n", messages.join("\n")));
    let place = place.replace("4x2", "72").replace("spread", "identity");
    scratch.succeeds(&format!("{place} --flows flows.csv"));
    let modelled = |pattern: &str| {
        let model = format!("model fabric.toml --patterns {pattern} --set strategic-2-3 --json");
        let json: serde_json::Value = serde_json::from_str(&scratch.succeeds(&model)).unwrap();
        json["sets"][0]["throughput"]["value"].as_f64().unwrap()
    };
    assert!((modelled("flows:flows.csv") - modelled("complement")).abs() < 1e-9);
    assert!(scratch.refuses("place fabric.toml --jobs 4 --flows flows.csv").contains("--graph"));
}

/// A fabric whose nodes are called so, and a list of names that says it.
fn with_names(rows: &str) -> Scratch {
    let scratch = small();
    scratch.write(
        "fabric.toml",
        "name = \"named\"\n[dragonfly]\np = 2\na = 4\nh = 2\ng = 9\nnames = \"names.csv\"\n",
    );
    scratch.write("names.csv", format!("group,switch,port,name,physical\n{rows}"));
    scratch
}

#[test]
fn one_job_has_files_without_a_number_and_nodes_have_their_names() {
    let scratch = with_names("0,0,node 0,login-1,\n0,0,node 1,nid0001.example,\n");
    scratch.write("nodes.txt", "# two\n1\nlogin-1\n");
    scratch.succeeds("place fabric.toml --jobs 3x2 --with listed:nodes.txt --rankfile ranks");
    assert_eq!(
        text(&scratch, "ranks"),
        "rank 0=nid0001.example slot=0\nrank 1=nid0001.example slot=1\nrank 2=login-1 slot=0\n"
    );
}

/// A machine as ibnetdiscover shows it, with two adapters in each host.
#[test]
fn nodes_of_one_host_are_one_in_files_for_other_programs() {
    let scratch = Scratch::new();
    scratch.write("ib.txt", include_str!("../../../generator/import/tests/data/adapters.txt"));
    scratch.succeeds("import ibnetdiscover ib.txt --groups ^(g[0-9])- -o m");
    let place = "place m/fabric.toml --rankfile rank --hostfile host --host-list list -q";
    assert_eq!(
        scratch.refuses(&format!("{place} --jobs 4x2")),
        "tvlb: node 0 node00 HCA-1: \"node00 HCA-1\" cannot be the name of a host, which has letters, \
         digits, hyphens, underscores and dots; accepted is --hosts FILE, a list of the host of each node\n"
    );
    let names = text(&scratch, "m/names.csv");
    let nodes = names.lines().filter(|line| line.contains(",node ")).map(|line| {
        let name = line.split(',').nth(3).unwrap();
        format!("{name},{}\n", name.split(' ').next().unwrap())
    });
    let hosts: String = nodes.collect();
    scratch.write("hosts.csv", format!("node,host\n{hosts}"));
    let place = format!("{place} --hosts hosts.csv");
    let said = scratch.succeeds(&format!("{place} --jobs 4x2"));
    assert!(said.contains("4x2: hosts 1, nodes 2, switches 2, groups 1"), "{said}");
    assert_eq!(
        text(&scratch, "rank"),
        "rank 0=node00 slot=0\nrank 1=node00 slot=1\nrank 2=node00 slot=2\nrank 3=node00 slot=3\n"
    );
    assert_eq!(text(&scratch, "host"), "node00 slots=4\n");
    let list = text(&scratch, "list");
    assert_eq!(list, "node00\nnode00\nnode00\nnode00\n");
    // What was written is read back: a host is its nodes.
    let again = scratch.succeeds(&format!("{place} --jobs 4x2 --with listed:list"));
    assert_eq!(text(&scratch, "list"), list);
    assert!(again.contains("4x2: hosts 1, nodes 2"), "{again}");
    // Two jobs on one host have slots of their own.
    scratch.succeeds(&format!("{place} --jobs 1,1"));
    assert_eq!(text(&scratch, "rank-0"), "rank 0=node00 slot=0\n");
    assert_eq!(text(&scratch, "rank-1"), "rank 0=node00 slot=1\n");
    scratch.write("hosts.csv", "node,host\nnode00 HCA-1,node00\n");
    assert_eq!(
        scratch.refuses(&format!("{place} --jobs 4x2")),
        "tvlb: node 1 node00 HCA-2: no line of the list of hosts names it; accepted is --hosts FILE, a list \
         of the host of each node\n"
    );
}

#[test]
fn no_node_is_called_what_another_program_reads_otherwise() {
    for (rows, said) in [
        (
            "0,0,node 0,n0 slots=99 # evil,3\n",
            "node 0 n0 slots=99 # evil: \"n0 slots=99 # evil\" cannot be",
        ),
        (
            "0,0,node 0,\"a,b [1-9]\",4\n",
            "node 0 a,b [1-9]: \"a,b [1-9]\" cannot be the name of a host",
        ),
        (
            "0,0,node 0,x1000c0s0b1n0h0,\n",
            "\"x1000c0s0b1n0h0\" is an interface of a host, not the host",
        ),
        ("0,0,node 0,H-0000000000000200,\n", "is the id of an adapter, not the name of a host"),
        // Node 1 would be called by a name that tvlb makes up, and that is node 0's.
        (
            "0,0,node 0,node-1,\n",
            "node 1: it has no name, though other nodes have; accepted is --hosts",
        ),
    ] {
        let scratch = with_names(rows);
        for option in ["--rankfile", "--hostfile", "--host-list"] {
            let error = scratch.refuses(&format!("place fabric.toml --jobs 2 {option} file"));
            assert!(error.contains(said), "{error}");
        }
        let placed = scratch.succeeds("place fabric.toml --jobs 2 -o ranks.csv");
        let (_, why) = placed.split_once("\nno request to a scheduler: ").unwrap();
        assert!(why.contains(said), "{why}");
    }
}

#[test]
fn a_host_list_is_read_back_as_a_list_of_nodes() {
    let scratch = small();
    let place = "place fabric.toml --jobs 9x2 --with random --host-list list -o ranks.csv";
    scratch.succeeds(place);
    let (list, ranks) = (text(&scratch, "list"), text(&scratch, "ranks.csv"));
    scratch.write("nodes.txt", &list);
    scratch.succeeds(&place.replace("random", "listed:nodes.txt"));
    assert_eq!((text(&scratch, "list"), text(&scratch, "ranks.csv")), (list, ranks));
}

#[test]
fn what_cannot_be_placed_is_refused() {
    let scratch = small();
    scratch.write("nodes.txt", "0\n1\n99\n");
    scratch.write("matrix.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n5 1\n");
    scratch.write("messages.csv", "from,to,bytes\n0,9,8\n");
    for (arguments, said) in [
        ("--jobs 72x0", "--jobs: \"72x0\" is not a job, accepted RANKS or RANKSxPER_NODE"),
        ("--jobs 40,33", "--jobs: job 1 takes 33 nodes, but 32 are free, accepted jobs that fit"),
        ("--jobs 4 --with line", "--with: \"line\" is not a placement, accepted identity"),
        (
            "--jobs 4 --with listed:nodes.txt",
            "nodes.txt: line 3: there is no node 99; the last node is 71",
        ),
        ("--jobs 4 --with listed:none.txt", "none.txt: cannot read it"),
        (
            "--jobs 4 --map best",
            "--map: \"best\" is not a map of ranks, accepted linear, random and",
        ),
        (
            "--jobs 4 --map bisect",
            "--map: map bisect needs to know who exchanges messages with whom",
        ),
        ("--jobs 4 --graph halo", "--graph: \"halo\" is not a pattern of communication, accepted"),
        (
            "--jobs 4 --graph halo3d:2x2x2",
            "--graph halo3d:2x2x2: the grid 2x2x2 has 8 ranks, accepted a grid of the job's 4",
        ),
        (
            "--jobs 4 --graph graph:matrix.mtx",
            "matrix.mtx: line 3: found \"5 1\", accepted rows and columns from 1 to 4",
        ),
        (
            "--jobs 4 --graph messages:messages.csv",
            "--graph messages:messages.csv: line 2: there is no rank 9, accepted ranks of the job, 0 to 3",
        ),
        (
            "--jobs 4,4,4 --graph alltoall --graph alltoall",
            "--graph is given 2 times for 3 jobs; accepted once for all, or once for each",
        ),
    ] {
        let error = scratch.refuses(&format!("place fabric.toml {arguments}"));
        assert!(error.contains(said), "{arguments}: {error}");
    }
}

/// A byte-order mark, quotes, blanks and empty columns are what editors and spreadsheets add.
#[test]
fn lists_may_come_from_editors_and_spreadsheets() {
    let scratch = small();
    let matrix = "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n1 2\n";
    let messages = "from,to,bytes\n0,1,1000\n";
    for (file, option, plain, edited) in [
        (
            "g.mtx",
            "--graph graph:g.mtx",
            matrix,
            format!("\u{feff}{}", matrix.replace('\n', "\r\n")),
        ),
        ("m.csv", "--graph messages:m.csv", messages, format!("\u{feff}{messages}")),
        (
            "m.csv",
            "--graph messages:m.csv",
            messages,
            "\"from\",\"to\",\"bytes\",\n\"0\", 1, 1000,\n,,,\n".to_owned(),
        ),
        (
            "n.txt",
            "--with listed:n.txt",
            "3\n2\n1\n0\n",
            "\u{feff}\"3\",\r\n2,\n1\n0\n,\n".to_owned(),
        ),
    ] {
        let place = |text: &str| {
            scratch.write(file, text);
            scratch.succeeds(&format!("place fabric.toml --jobs 4 {option}"))
        };
        assert_eq!(place(&edited), place(plain), "{edited:?}");
    }
}

#[test]
fn nothing_is_written_into_a_table_set() {
    let scratch = Scratch::with_table_set();
    for option in ["-o", "--rankfile", "--hostfile", "--host-list"] {
        let error = scratch.refuses(&format!("place fabric.toml --jobs 4 {option} out/ranks"));
        assert!(error.contains("it is within the table set"), "{error}");
    }
}
