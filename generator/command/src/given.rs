//! Parameters as options of a command line.

use clap::builder::PossibleValue;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use std::marker::PhantomData;
use tvlb_base::parameter::{Parameter, ParameterSubject, Parameters, Stated};

/// Which parameters are options.
pub trait Which {
    const PART: ParameterSubject;
}

/// The parameters of switches and links.
pub struct OfSwitches;

impl Which for OfSwitches {
    const PART: ParameterSubject = ParameterSubject::Switches;
}

/// The parameters of how a run is measured.
pub struct OfMeasurement;

impl Which for OfMeasurement {
    const PART: ParameterSubject = ParameterSubject::Measurement;
}

/// The parameters of `S` that are options, with the values that a command line gives.
pub struct Given<S: Parameters, W>(pub Stated<S>, PhantomData<W>);

impl<S: Parameters, W: Which> Given<S, W> {
    fn options() -> impl Iterator<Item = &'static Parameter<S>> {
        S::ALL.iter().filter(|parameter| parameter.part == W::PART)
    }
}

impl<S: Parameters, W: Which> FromArgMatches for Given<S, W> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut given = Self(Stated::default(), PhantomData);
        given.update_from_arg_matches(matches).map(|()| given)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for option in Self::options() {
            if matches.value_source(option.name) == Some(ValueSource::CommandLine) {
                let text: &String = matches.get_one(option.name).expect("it has a value");
                self.0.state(option, text).expect("it was accepted as it was read");
            }
        }
        Ok(())
    }
}

impl<S: Parameters, W: Which> Args for Given<S, W> {
    fn augment_args(command: Command) -> Command {
        Self::options().fold(command, |command, option| command.arg(argument(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The option of a parameter.
fn argument<S: Parameters>(parameter: &'static Parameter<S>) -> Arg {
    let heading = match parameter.part {
        ParameterSubject::Switches => "Switches",
        ParameterSubject::Measurement => "Measurement",
    };
    let otherwise =
        parameter.otherwise.map_or_else(String::new, |words| format!(" [default: {words}]"));
    let option = Arg::new(parameter.name)
        .long(parameter.name)
        .value_name(parameter.placeholder)
        .help(format!("{}{otherwise}", parameter.meaning))
        .help_heading(heading)
        .allow_negative_numbers(true)
        .ignore_case(true);
    let option = match parameter.usually() {
        Some(value) => option.default_value(value),
        None => option,
    };
    let words = parameter.words();
    if words.is_empty() {
        return option.value_parser(|text: &str| parameter.accept(text).map(|()| text.to_owned()));
    }
    let shown = words.into_iter().map(|(word, help)| PossibleValue::new(word).help(help));
    option.value_parser(clap::builder::PossibleValuesParser::new(shown))
}
