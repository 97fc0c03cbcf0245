import type { CommandOption } from '../../state/commands.ts';

/** What was typed behind a command. */
export interface Arguments {
  /** For its options, by their names. */
  values: ReadonlyMap<string, string>;
  /** What is for none of them. */
  left: string;
}

/** `name:value`, with quotation marks around what has spaces. */
const named = /(^|\s)([\p{L}\p{N}_-]{1,32}):(?:"([^"]*)"|(\S*))/gu;

/**
 * Reads what was typed behind a command: `days:3 unit:celsius`. What has no name is for the first text, or number, that has
 * none. People, channels and files cannot be typed: they are asked for.
 */
export function argumentsIn(options: readonly CommandOption[], typed: string): Arguments {
  const values = new Map<string, string>();
  const rest = typed.replace(named, (whole, space: string, name: string, quoted?: string, bare?: string) => {
    const option = options.find((one) => one.name.toLowerCase() === name.toLowerCase());
    const value = option && valueFor(option, quoted ?? bare ?? '');
    if (!option || value === undefined) return whole;
    values.set(option.name, value);
    return space;
  });
  const left = rest.replace(/ {2,}/g, ' ').trim();
  const first = options.find((option) => isTyped(option) && !values.has(option.name));
  if (left === '' || !first) return { values, left };
  return { values: values.set(first.name, left), left: '' };
}

const isTyped = ({ type }: CommandOption): boolean => type === 'text' || type === 'number';

/** @returns undefined where it is none of what the option takes */
function valueFor(option: CommandOption, text: string): string | undefined {
  if (option.type === 'choice') {
    const sought = text.toLowerCase();
    return option.choices.find(({ value, label }) => value === text || label.toLowerCase() === sought)?.value;
  }
  return isTyped(option) ? text : undefined;
}

/** Whether a command can be run as it was typed: nothing that it needs is missing, and nothing that was typed is left over. */
export function isComplete(options: readonly CommandOption[], { values, left }: Arguments): boolean {
  // Who typed nothing is shown what there is.
  if (left !== '' || (values.size === 0 && options.length > 0)) return false;
  return options.every(({ name, required }) => !required || (values.get(name) ?? '') !== '');
}

/** The option that is typed now, or next. */
export function optionAt(options: readonly CommandOption[], typed: string): CommandOption | undefined {
  const last = /(?:^|\s)([\p{L}\p{N}_-]{1,32}):(?:"[^"]*|\S*)$/u.exec(typed)?.[1]?.toLowerCase();
  const begun = options.find(({ name }) => name.toLowerCase() === last);
  if (begun) return begun;
  const { values } = argumentsIn(options, typed);
  const isOpen = ({ name }: CommandOption) => !values.has(name);
  const ofText = options.find(({ name }) => typed !== '' && typed.endsWith(values.get(name) ?? ' '));
  return ofText ?? options.find((option) => option.required && isOpen(option)) ?? options.find(isOpen);
}
