import type { Message } from '../index.ts';
import type { RestInput } from '../rest.ts';

/** What is not changed may come from `const` data. */
type Fixed<T> = T extends (infer E)[]
  ? readonly Fixed<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Fixed<T[K]> }
    : T;

export type Declared = RestInput<'PUT /api/agents/:id/slash-commands'>['body']['commands'][number];
type OptionSpec = Fixed<NonNullable<Declared['options']>[number]>;

/** What a command is declared with, besides its name. */
export interface CommandSpec {
  description?: string;
  aliases?: readonly string[];
  /** Clients ask for them, also for none (`[]`), and send them as an interaction; without any they send what was typed as a message. */
  options?: readonly OptionSpec[];
  /**
   * Take one with options that was typed as a message, too. Whoever may write can do that, whatever the rules of the server
   * for the command say.
   */
  typed?: boolean;
}

/** Values of options: numbers, texts, values of choices, and ids of users, channels and files. */
export type OptionValues = Record<string, string | number | undefined>;

type ValueOf<O extends OptionSpec> = (O['type'] extends 'number' ? number : string) extends infer V
  ? O extends { required: true }
    ? V
    : V | undefined
  : never;

/** The values that a command with these options is given, by their names. */
export type OptionsOf<S extends CommandSpec> = S extends { options: readonly (infer O extends OptionSpec)[] }
  ? { [One in O as One['name']]: ValueOf<One> }
  : OptionValues;

/** Whether the values are what a handler was promised. */
export function fits<S extends CommandSpec>(values: OptionValues, spec: S): values is OptionValues & OptionsOf<S> {
  return (spec.options ?? []).every(({ name, type, required }) => {
    const value = values[name];
    return value === undefined ? !required : typeof value === (type === 'number' ? 'number' : 'string');
  });
}

/** How a command is typed: `/weather <city> [days]`. */
export function usageOf(name: string, { options = [] }: CommandSpec): string {
  const words = options.map((option) => (option.required ? `<${option.name}>` : `[${option.name}]`));
  return ['`', [`/${name}`, ...words].join(' '), '`'].join('');
}

/**
 * The values in a command that was typed: mentions and files in their order, else a word for each option, and all that is left
 * for the last one if it is a text.
 */
export function typedValues(text: string, message: Message, { options = [] }: CommandSpec): OptionValues {
  const isNaming = options.some(({ type }) => type === 'user' || type === 'channel');
  const words = text.split(/\s+/).filter((word) => word && !(isNaming && /^<?[@#]/.test(word)));
  const named = (kind: string) => message.mentions.filter((one) => one.kind === kind).map(({ targetId }) => targetId);
  const given = { user: named('user'), channel: named('channel'), file: message.attachments.map(({ id }) => id) };
  const isWord = ({ type }: OptionSpec) => type === 'text' || type === 'number' || type === 'choice';
  const last = options.findLast(isWord);
  return Object.fromEntries(
    options.map((option) => {
      if (option.type === 'user' || option.type === 'channel' || option.type === 'file')
        return [option.name, given[option.type].shift() ?? undefined];
      const isRest = option === last && option.type === 'text';
      const word = isRest ? words.splice(0).join(' ') : (words.shift() ?? '');
      return [option.name, word === '' ? undefined : readValue(word, option)];
    }),
  );
}

function readValue(word: string, option: OptionSpec): string | number | undefined {
  if (option.type === 'number') return Number.isFinite(Number(word)) ? Number(word) : undefined;
  if (option.type !== 'choice') return word;
  const asked = word.toLowerCase();
  return option.choices.find(({ value, label }) => [value, label].some((each) => each.toLowerCase() === asked))?.value;
}

/** As the server takes it. */
export function declaredOf(name: string, { description, aliases = [], options }: CommandSpec): Declared {
  return {
    name,
    description,
    aliases: [...aliases],
    options: options?.map((option) =>
      option.type === 'choice' ? { ...option, choices: [...option.choices] } : { ...option },
    ),
  };
}
