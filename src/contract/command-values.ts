import type { CommandOption, OptionValues } from './command-option.ts';

/** Something about a value that does not fit (contract §4, Commands). */
export interface ValueIssue {
  /** The option's name. */
  option: string;
  message: string;
}

/**
 * What does not fit into a command's options, without looking anything up. Clients may ask here before they send.
 * @returns each option once at most, in order, and then the names that are no options
 */
export function issuesOf(options: readonly CommandOption[], values: OptionValues): ValueIssue[] {
  const wrong = options.flatMap((option) => {
    const value = given(values, option.name);
    const message = value === undefined ? missing(option) : unfit(option, value);
    return message === undefined ? [] : { option: option.name, message };
  });
  const unknown = Object.keys(values).filter((name) => !options.some((option) => option.name === name));
  return [...wrong, ...unknown.map((option) => ({ option, message: 'is no option of this command' }))];
}

/** Options may have names that every object has. */
const given = (values: OptionValues, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);

const missing = ({ required }: CommandOption): string | undefined => (required ? 'is required' : undefined);

function unfit(option: CommandOption, value: string | number): string | undefined {
  if (option.type === 'number') return typeof value === 'number' ? unfitNumber(option, value) : 'must be a number';
  if (typeof value !== 'string') return 'must be a text';
  if (option.type === 'text') return unfitText(option, value);
  if (option.type === 'choice') return option.choices.some((one) => one.value === value) ? undefined : notOffered;
  return isId(value) ? undefined : `must be the id of a ${option.type}`;
}

const notOffered = 'must be one of the choices';

function unfitNumber({ min, max, integer }: Extract<CommandOption, { type: 'number' }>, value: number) {
  if (integer && !Number.isSafeInteger(value)) return 'must be a whole number';
  if (min !== null && value < min) return `must be at least ${min}`;
  if (max !== null && value > max) return `must be at most ${max}`;
  return undefined;
}

function unfitText({ required, minLength, maxLength }: Extract<CommandOption, { type: 'text' }>, value: string) {
  if (required && value.trim() === '') return 'is required';
  if (minLength !== null && value.length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== null && value.length > maxLength) return `must have at most ${maxLength} characters`;
  return undefined;
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** The values of all options of some types, each once. */
export function idsOf(options: readonly CommandOption[], values: OptionValues, type: CommandOption['type']): string[] {
  const named = options.filter((option) => option.type === type).map(({ name }) => given(values, name));
  return [...new Set(named.filter((value) => typeof value === 'string'))];
}

/** The same values, with ids in the form in which they are kept. */
export function withKeptIds(options: readonly CommandOption[], values: OptionValues): OptionValues {
  const ids = new Set(options.filter(({ type }) => isIdType(type)).map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, ids.has(name) ? String(value).toLowerCase() : value]),
  );
}

const isIdType = (type: CommandOption['type']): boolean => type === 'user' || type === 'channel' || type === 'file';
