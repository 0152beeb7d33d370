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

/// A Rust type in C.
fn in_c(rust: &str) -> &str {
    match rust {
        "*mut tvlb_switch" => "tvlb_switch *",
        "*const tvlb_switch" => "const tvlb_switch *",
        "*const tvlb_inputs" => "const tvlb_inputs *",
        "*mut tvlb_ofar" => "tvlb_ofar *",
        "*const tvlb_ofar" => "const tvlb_ofar *",
        "*const tvlb_outputs" => "const tvlb_outputs *",
        "*mut tvlb_asked" => "tvlb_asked *",
        "*mut tvlb_step" => "tvlb_step *",
        "*mut tvlb_description" => "tvlb_description *",
        "*mut tvlb_port" => "tvlb_port *",
        "*mut tvlb_weighing" => "tvlb_weighing *",
        "*mut tvlb_explanation" => "tvlb_explanation *",
        "*mut tvlb_image_error" => "tvlb_image_error *",
        "*const u8" => "const uint8_t *",
        "*mut u8" => "uint8_t *",
        "*mut u32" => "uint32_t *",
        "*mut u64" => "uint64_t *",
        "usize" => "size_t ",
        "i32" => "int32_t ",
        "u16" => "uint16_t ",
        "u8" => "uint8_t ",
        "u32" => "uint32_t ",
        "u64" => "uint64_t ",
        "*const c_char" => "const char *",
        other => panic!("no C type for {other}"),
    }
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
