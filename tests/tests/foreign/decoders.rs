//! Both decoders, and what an image means as text.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tvlb_firmware_model::Switch;
use tvlb_ofar::{EscapeImage, EscapeKind};
use tvlb_schema::{
    Decision, DrawRule, End, FabricImage, MinCandidate, Onward, Queue, Route, Shape, SwitchId,
    SwitchImage, Weighing,
};

/// The second decoder: one process, which answers one record after the other.
pub(crate) struct Foreign {
    process: Child,
    records: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Foreign {
    pub(crate) fn script() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/decode.py")
    }

    /// `None`, and the reason on the standard error, exactly where there is no `python3`.
    pub(crate) fn start() -> Option<Self> {
        let mut command = Command::new("python3");
        command.arg(Self::script()).arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped());
        match command.spawn() {
            Ok(mut process) => {
                let records = process.stdin.take().unwrap();
                let answers = BufReader::new(process.stdout.take().unwrap());
                Some(Self { process, records, answers })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Past the capture of the test, so that a log of all tests says it.
                let _ = std::io::Write::write_all(
                    &mut std::io::stderr(),
                    b"skipped: the second decoder of images needs python3\n",
                );
                None
            }
            Err(error) => panic!("python3: {error}"),
        }
    }

    pub(crate) fn ask(&mut self, letter: u8, data: &[u8]) -> String {
        let mut record = vec![letter];
        record.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        record.extend(data);
        self.records.write_all(&record).unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert!(answer.ends_with('\n'), "decode.py ended: see above");
        answer.pop();
        answer
    }

    /// Both decoders understand an image that a writer made, and there is no slack in it.
    pub(crate) fn keep(&mut self, letter: u8, image: &[u8], meaning: &str) {
        assert_eq!(self.ask(letter, image), meaning);
        assert_eq!(self.ask(b'l', &[]), "[]");
    }

    /// Whether both accept a spoilt image; they agree, and on its meaning too.
    pub(crate) fn judges(
        &mut self,
        letter: u8,
        image: &[u8],
        meaning: &Result<String, String>,
    ) -> bool {
        let theirs = self.ask(letter, image);
        let what = || format!("{meaning:?} and {theirs} of {image:02x?}");
        match meaning {
            Ok(meaning) => assert_eq!(&theirs, meaning, "{}", what()),
            Err(_) => assert!(theirs.starts_with("{\"refused\": "), "{}", what()),
        }
        meaning.is_ok()
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a fabric image says, as `decode.py` prints it.
pub(crate) fn meaning_of_fabric(image: &FabricImage<'_>) -> String {
    let df = image.dragonfly();
    let (mut cables, mut counts) = (Vec::new(), Vec::new());
    for low in df.groups() {
        for high in df.groups().filter(|&high| low < high) {
            let links = image.links(low, high);
            counts.push(links.count());
            for k in 0..links.count() {
                let (from, to) = image.nth(links, k).unwrap();
                assert_eq!(image.port_link(End { group: high, port: to }), Some((low, k)));
                cables.push([low.0, from.0, high.0, to.0]);
            }
        }
    }
    assert_eq!(cables.len(), image.cable_count() as usize);
    let even = if counts.iter().all(|&count| count == counts[0]) { counts[0] } else { 0 };
    let kinds: Vec<_> = df.stated_kinds().map(|k| [k.p, k.a, k.h, k.g, k.local_links]).collect();
    let fewer: Vec<[u16; 4]> = image
        .fewer_links()
        .map(|pair| {
            let (group, low) = df.place(pair.low);
            [group.0, low.0.into(), pair.high.0.into(), pair.links]
        })
        .collect();
    format!(
        "{{\"cables\": {cables:?}, \"even\": {even}, \"fewer\": {fewer:?}, \"identity\": \"{:016x}\", \
         \"image\": \"fabric\", \"kinds\": {kinds:?}, \"most\": {}, \"sizes\": {:?}}}",
        image.identity(),
        image.most_links(),
        [df.p(), df.a(), df.h(), df.g()]
    )
}

/// What the fault image says that a fabric has taken, as `decode.py` prints it.
pub(crate) fn meaning_of_faults(image: &FabricImage<'_>) -> String {
    let switches: Vec<u16> = image.dead_switches().map(|switch| switch.0).collect();
    let cables: Vec<[u16; 2]> = image.dead_cables().map(|end| [end.group.0, end.port.0]).collect();
    let links: Vec<[u16; 3]> = image
        .dead_local_links()
        .map(|link| [link.low.0, link.high.0.into(), link.number])
        .collect();
    format!(
        "{{\"cables\": {cables:?}, \"draining\": {}, \"epoch\": {}, \"identity\": \"{:016x}\", \"image\": \"faults\", \
         \"links\": {links:?}, \"switches\": {switches:?}}}",
        image.is_draining(),
        image.epoch(),
        image.identity()
    )
}

pub(crate) fn meaning_of_set(image: &SwitchImage<'_>, decision: Decision) -> String {
    let (set, df) = (image.set(decision), image.fabric().dragonfly());
    let rule = set.rule();
    let mut keep: Vec<u16> = Shape::all().map(|shape| rule.keep_of(shape).parts()).collect();
    let (mut weights, mut hops, mut sent) = ([0; Shape::COUNT], 0, 0);
    let draw = match rule.draw {
        DrawRule::ByRoute => 0,
        DrawRule::ByShape { weights: given } => {
            weights = given;
            1
        }
        DrawRule::BySwitch { legs, returns } => {
            // What is kept follows from the legs, so the image has no fractions.
            keep.fill(0);
            (hops, sent) = (legs.bits(), u8::from(returns));
            2
        }
        DrawRule::ByTriple => 3,
    };
    let levels: Vec<u8> = df.global_ports().map(|port| set.level(port).number()).collect();
    let levels = if set.is_thinned() { format!("{levels:?}") } else { "null".to_owned() };
    let outside = df.switches().filter(|&to| df.place(to).0 != image.group());
    let shapes: Vec<u16> = outside.map(|to| set.shapes_to(to).bits()).collect();
    format!(
        "{{\"draw\": {draw}, \"keep\": {keep:?}, \"legs\": {hops}, \"levels\": {levels}, \
         \"returns\": {sent}, \"seed\": {}, \"shapes\": {shapes:?}, \"weights\": {weights:?}}}",
        rule.seed
    )
}

/// What a switch image says, as `decode.py` prints it.
pub(crate) fn meaning_of_switch(image: &SwitchImage<'_>) -> String {
    let decisions: Vec<String> = Decision::ALL
        .into_iter()
        .map(|decision| {
            let Weighing { threshold, candidates, gate, queue, onward } = *image.weighing(decision);
            let (min, vlb, gate) = (candidates.min(), candidates.vlb(), gate.sixteenths());
            let (set, by_channel) = (image.set_number(decision), u8::from(queue == Queue::Channel));
            let by_cheapest = u8::from(onward == Onward::Cheapest);
            format!("[{set}, {threshold}, {min}, {vlb}, {gate}, {by_channel}, {by_cheapest}]")
        })
        .collect();
    let sets: Vec<String> = (0..image.set_count())
        .map(|number| {
            let used = Decision::ALL.into_iter().find(|&d| image.set_number(d) == number);
            used.map_or_else(|| "null".to_owned(), |decision| meaning_of_set(image, decision))
        })
        .collect();
    let peers: Vec<[u16; 2]> = image
        .fabric()
        .dragonfly()
        .global_ports()
        .map(|port| {
            image.behind(port).map_or([image.group().0, 0], |end| [end.group.0, end.port.0])
        })
        .collect();
    let numbers: Vec<String> = image
        .physical_numbers()
        .map(|number| number.map_or_else(|| "null".to_owned(), |number| number.to_string()))
        .collect();
    let port_map =
        if numbers.is_empty() { "null".to_owned() } else { format!("[{}]", numbers.join(", ")) };
    let second = MinCandidate::ALL.iter().position(|&min| min == image.second_min()).unwrap();
    format!(
        "{{\"decisions\": [{}], \"image\": \"switch\", \"peers\": {peers:?}, \
         \"port_map\": {port_map}, \"second_min\": {second}, \"sets\": [{}], \"switch\": {}, \"virtual_channels\": \"{}\"}}",
        decisions.join(", "),
        sets.join(", "),
        image.switch(),
        image.virtual_channels().name()
    )
}

/// What a set offers to a destination, as `decode.py` prints it.
pub(crate) fn ways(switch: &Switch<'_>, decision: Decision, to: SwitchId) -> String {
    let mut all: Vec<[i64; 5]> = Vec::new();
    let mut add = |route: Route, shape: Shape, ways: u32| {
        let detour = route.detour.map_or(-1, |index| i64::from(index.0));
        let number = i64::try_from(shape.number()).unwrap();
        all.push([route.x.0.into(), route.y.0.into(), detour, number, ways.into()]);
    };
    let rule = switch.image().set(decision).rule();
    if rule.is_of_routes() {
        switch.for_each_route(decision, to, |route, shape| add(route, shape, 1));
    } else {
        switch.for_each_way(decision, to, add);
    }
    all.sort_unstable();
    format!("{all:?}")
}

/// What the Rust decoder says of a fabric image.
pub(crate) fn judged(image: &[u8]) -> Result<String, String> {
    let decoded = FabricImage::decode(image);
    decoded.map(|image| meaning_of_fabric(&image)).map_err(|error| error.to_string())
}

/// What the Rust decoder says of a switch image.
pub(crate) fn judged_switch(image: &[u8], fabric: &FabricImage<'_>) -> Result<String, String> {
    let decoded = SwitchImage::decode(image, fabric);
    decoded.map(|image| meaning_of_switch(&image)).map_err(|error| error.to_string())
}

/// What an escape image says, as `decode.py` prints it; or why it is refused.
pub(crate) fn judged_escape(image: &[u8], fabric: &FabricImage<'_>) -> Result<String, String> {
    let image = EscapeImage::decode(image, fabric).map_err(|error| error.to_string())?;
    let rules = image.rules();
    let is_tree = u8::from(image.kind() == EscapeKind::Tree);
    let places = 0..image.len();
    let list = |of: &dyn Fn(u32) -> u32| -> Vec<u32> { places.clone().map(of).collect() };
    // The port of the switch above down to this one is in its list of ports: those below follow in order.
    let down = |place: u32| {
        let above = (0..place).rev().find(|&above| above + image.below(above) >= place);
        above.map_or(0, |above| image.tree_port(above, place).0.into())
    };
    let is_ring = image.kind() == EscapeKind::Ring;
    let onward = list(&|place| match (is_ring, place) {
        (true, _) => image.ring_ports(place).0.0.into(),
        (false, 0) => 0,
        (false, _) => image.tree_port(place, 0).0.into(),
    });
    let backward =
        list(&|place| if is_ring { image.ring_ports(place).1.0.into() } else { down(place) });
    let flags = [rules.strict, rules.by_set, rules.by_length, rules.least_percent > 0];
    let flags = (0..).zip(flags).fold(0, |bits, (bit, is_set)| bits | u8::from(is_set) << bit);
    Ok(format!(
        "{{\"backward\": {backward:?}, \"below\": {:?}, \"identity\": \"{:016x}\", \"image\": \"escape\", \
         \"onward\": {onward:?}, \"rules\": {{\"bubble\": {}, \"destination_percent\": {}, \
         \"global_channels\": {}, \"global_percent\": {}, \"least_percent\": {}, \"local_channels\": {}, \
         \"middle_percent\": {}, \"misrouting\": {flags}, \"most_entries\": {}, \"network\": {is_tree}, \
         \"source_percent\": {}, \"throttle\": {}}}, \"switches\": {:?}}}",
        list(&|place| image.below(place)),
        fabric.identity(),
        rules.bubble,
        rules.local_percent.destination,
        rules.global_channels,
        rules.global_percent,
        rules.least_percent,
        rules.local_channels,
        rules.local_percent.middle,
        rules.most_entries,
        rules.local_percent.source,
        rules.throttle_percent,
        list(&|place| image.switch_at(place).0.into()),
    ))
}

/// What the Rust decoder says of a fault image.
pub(crate) fn judged_faults(image: &[u8], fabric: &FabricImage<'_>) -> Result<String, String> {
    let mut taken = *fabric;
    let decoded = taken.install_faults(image);
    decoded.map(|()| meaning_of_faults(&taken)).map_err(|error| error.to_string())
}
