import type { Actor } from '../../contract/actor.ts';
import { timeZoneOf } from '../../contract/languages.ts';
import { knownZone } from '../../contract/local-time.ts';
import { isUuid } from '../../contract/schema.ts';
import { hasKinds, isKinds } from '../../contract/search.ts';
import { foldedKey } from '../../contract/unicode/skeleton.ts';
import { usernameKeys } from '../../contract/username.ts';
import type { Rows } from '../../database/database.ts';
import { fact } from './document.ts';
import { chosenZone, type Readable, usersNamed } from './find.table.ts';
import type { Operator, OperatorName } from './query.ts';
import { firstIdOf, periodOf } from './times.ts';

const oneOf = <T extends string>(all: readonly T[], value: string): T | undefined =>
  all.find((one) => one === value.toLowerCase());

/** Whether an operator can have a value; names are looked up later. */
export function isKnownValue(name: OperatorName, value: string): boolean {
  if (name === 'has') return oneOf(hasKinds, value) !== undefined;
  if (name === 'is') return oneOf(isKinds, value) !== undefined;
  if (name === 'from' || name === 'mentions' || name === 'in') return /[\p{L}\p{N}]/u.test(value);
  return periodOf(value, 'UTC') !== null;
}

/** What operators ask for, beside words. */
interface Narrowed {
  /** SQL of parts of a `tsquery` that all must hold. */
  facts: string[];
  /** Those of the readable channels that are meant. */
  channels: Readable[];
  /** Whether channels were named. */
  isInChannels: boolean;
  before: string | null;
  from: string | null;
  /** A name is nobody's, or no channel's: nothing is found. */
  isNothing: boolean;
}

/**
 * Looks up what operators name, among what the actor may know.
 * @param about.timeZone where the actor's account has none
 */
export async function narrowed(
  rows: Rows,
  actor: Actor,
  operators: Operator[],
  { readable, timeZone }: { readable: Readable[]; timeZone: string | undefined },
): Promise<Narrowed> {
  const people = await peopleIn(rows, actor, operators);
  const facts: string[] = [];
  let isNothing = false;
  for (const name of ['from', 'mentions', 'has', 'is'] as const) {
    for (const group of groupsOf(operators.filter((one) => one.name === name))) {
      const words = group.list.flatMap(({ value }) => factOf(name, value, people) ?? []);
      if (words.length > 0) facts.push(`${group.isExcluded ? '!' : ''}(${words.join(' | ')})`);
      else if (!group.isExcluded) isNothing = true;
    }
  }
  const places = placesOf(operators, readable, people);
  return {
    ...places,
    ...(await timesOf(rows, actor, operators, timeZone)),
    facts: [...facts, ...places.facts],
    isNothing: isNothing || places.isNothing,
  };
}

interface Group {
  list: Operator[];
  isExcluded: boolean;
}

/** One of several authors has written a message, but it has all of several things. */
function groupsOf(operators: Operator[]): Group[] {
  const [wanted, excluded] = [operators.filter((one) => !one.isExcluded), operators.filter((one) => one.isExcluded)];
  const together = wanted[0]?.name === 'from' ? [{ list: wanted, isExcluded: false }] : [];
  const each = together.length > 0 ? [] : wanted.map((one) => ({ list: [one], isExcluded: false }));
  return [...together, ...each, ...excluded.map((one) => ({ list: [one], isExcluded: true }))];
}

function factOf(
  name: 'from' | 'mentions' | 'has' | 'is',
  value: string,
  people: Map<string, string>,
): string | undefined {
  if (name === 'has') return fact.has(oneOf(hasKinds, value) ?? 'file');
  if (name === 'is') return fact.is(oneOf(isKinds, value) ?? 'thread');
  const id = people.get(value);
  return id === undefined ? undefined : fact[name](id);
}

const isPerson = ({ name, value }: Operator) =>
  name === 'from' || name === 'mentions' || (name === 'in' && value.startsWith('@'));

/** The ids of the people that operators name: by `me`, by their ids or by their usernames. */
async function peopleIn(rows: Rows, actor: Actor, operators: Operator[]): Promise<Map<string, string>> {
  const values = [...new Set(operators.filter(isPerson).map(({ value }) => value))];
  const found = new Map<string, string>();
  const named = new Map<string, string[]>();
  for (const value of values) {
    const name = value.replace(/^@/, '');
    if (name.toLowerCase() === 'me') found.set(value, actor.userId);
    else if (isUuid(name)) found.set(value, name.toLowerCase());
    else named.set(value, usernameKeys(name));
  }
  if (named.size === 0) return found;
  const ids = await usersNamed(rows, [...named.values()].flat());
  for (const [value, keys] of named) {
    const key = keys.find((one) => ids.has(one));
    if (key !== undefined) found.set(value, ids.get(key) ?? '');
  }
  return found;
}

/** Of several places one must hold. */
function placesOf(operators: Operator[], readable: Readable[], people: Map<string, string>) {
  const named = operators.filter(({ name }) => name === 'in');
  const isDirect = ({ value }: Operator) => value.startsWith('@');
  const directly = (list: Operator[]) => list.flatMap(({ value }) => people.get(value) ?? []).map(fact.direct);
  const meant = (one: Operator) => {
    const key = foldedKey(one.value.replace(/^#/, ''));
    return readable.filter(({ id, name }) => id === key || (name !== '' && foldedKey(name) === key));
  };
  const [wanted, excluded] = [named.filter((one) => !one.isExcluded), named.filter((one) => one.isExcluded)];
  const among = [...new Set(wanted.filter((one) => !isDirect(one)).flatMap(meant))];
  const direct = directly(wanted.filter(isDirect));
  const apart = new Set(excluded.filter((one) => !isDirect(one)).flatMap(meant));
  const isInChannels = wanted.length > 0 && direct.length === 0;
  const channels = (isInChannels ? among : readable).filter((one) => !apart.has(one));
  const places = direct.length > 0 ? [[...direct, ...among.map(({ id }) => fact.channel(id))].join(' | ')] : [];
  const others = directly(excluded.filter(isDirect)).map((one) => `!${one}`);
  return { facts: [...places, ...others], channels, isInChannels, isNothing: channels.length === 0 };
}

const isTime = ({ name }: Operator) => name === 'before' || name === 'after' || name === 'on';

async function timesOf(
  rows: Rows,
  { userId }: Actor,
  all: Operator[],
  given: string | undefined,
): Promise<{ before: string | null; from: string | null }> {
  const operators = all.filter(isTime);
  if (operators.length === 0) return { before: null, from: null };
  // In its usual spelling: there are few of these.
  const timeZone = knownZone((await chosenZone(rows, userId)) ?? timeZoneOf(given ?? ''));
  let [before, from] = [Number.POSITIVE_INFINITY, 0];
  for (const { name, value, isExcluded } of operators) {
    const period = periodOf(value, timeZone);
    if (!period) continue;
    // What is not before a day is on it or later.
    if (name === 'before' && !isExcluded) before = Math.min(before, period.start);
    if (name === 'before' && isExcluded) from = Math.max(from, period.start);
    if (name === 'after' && !isExcluded) from = Math.max(from, period.end);
    if (name === 'after' && isExcluded) before = Math.min(before, period.end);
    if (name === 'on') [before, from] = [Math.min(before, period.end), Math.max(from, period.start)];
  }
  return { before: Number.isFinite(before) ? firstIdOf(before) : null, from: from > 0 ? firstIdOf(from) : null };
}
