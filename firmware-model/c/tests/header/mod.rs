//! What a header and the sources of its functions say, in one form.

/// `(name, value)` of every `#define` with a plain number.
pub(crate) fn defines(header: &str) -> Vec<(&str, i32)> {
    let lines = header.lines().filter_map(|line| line.strip_prefix("#define "));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?.parse().ok()?))
        })
        .collect()
}

/// A Rust type in C, with what stands between it and a name. A type of the interface has one name in both.
fn in_c(rust: &str) -> String {
    let pointer = rust.strip_prefix("*mut ").map(|to| ("", to));
    if let Some((kind, to)) =
        pointer.or_else(|| rust.strip_prefix("*const ").map(|to| ("const ", to)))
    {
        return format!("{kind}{}*", in_c(to));
    }
    let in_c = match rust {
        "usize" => "size_t",
        "i32" => "int32_t",
        "u16" => "uint16_t",
        "u8" => "uint8_t",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "c_char" => "char",
        own if own.starts_with("tvlb_") => own,
        other => panic!("no C type for {other}"),
    };
    format!("{in_c} ")
}

/// The name of every function of a source that C can call, and its declaration in C.
pub(crate) fn declarations(source: &str) -> Vec<(&str, String)> {
    let functions = source.split("extern \"C\" fn tvlb_").skip(1);
    functions
        .map(|function| {
            let (name, rest) = function.split_once('(').expect("a function has parameters");
            let (parameters, rest) = rest.split_once(')').expect("which end");
            let (returned, _) = rest.split_once(" {").expect("a function has a body");
            let returned = in_c(returned.strip_prefix(" -> ").expect("it returns something"));
            let parameters: Vec<String> = parameters
                .split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .map(|one| {
                    let (given, kind) = one.split_once(": ").expect("it has a type");
                    let given = if given == "switch" { "sw" } else { given };
                    format!("{}{given}", in_c(kind))
                })
                .collect();
            let parameters =
                if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
            (name, format!("{returned}tvlb_{name}({parameters});"))
        })
        .collect()
}
