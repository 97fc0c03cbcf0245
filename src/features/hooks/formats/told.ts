import type { Delivery } from './format.ts';
import { at, isEmpty, isJson, type Json, linesOf, objectsIn, ownIn, restOf } from './json.ts';
import { bold, code, inLine, lines, quoted } from './marks.ts';

/**
 * What is told of an event: lines with `{path}` or `{path|form}`; one that names something that is not there is left out, and
 * where all are, the fields that they tell of are listed.
 */
export interface Telling {
  lines: readonly string[];
  /** A list in the event, of which some entries are told, and how many there are beside them; `parts` as below. */
  each?: { of: string; lines: readonly string[]; most: number; parts: readonly string[] };
  /** The fields of the event that these lines tell of, whose other fields are left out. */
  parts: readonly string[];
}

/** Signs of states that tools have in common. */
const signs: Record<string, string> = {
  firing: '🔥',
  alerting: '🔥',
  resolved: '✅',
  ok: '✅',
  success: '✅',
  passed: '✅',
  failure: '❌',
  failed: '❌',
  error: '❌',
  timed_out: '❌',
  cancelled: '🚫',
  canceled: '🚫',
  pending: '⏳',
  running: '⏳',
  in_progress: '⏳',
};

const mostInQuote = 600;

/** The forms that a value may be told in; an empty text leaves its line out. */
const forms: Record<string, (value: unknown) => string> = {
  bold: (value) => bold(scalar(value)),
  code: (value) => code(scalar(value)),
  first: (value) => scalar(value).trim().split('\n')[0] ?? '',
  short: (value) => scalar(value).slice(0, 7),
  /** The name of a branch or tag. */
  ref: (value) => scalar(value).replace(/^refs\/(heads|tags)\//, ''),
  label: (value) => inLine(scalar(value)).replaceAll('[', '(').replaceAll(']', ')'),
  quote: (value) => quoted(shortened(scalar(value).trim())),
  whole: (value) => quoted(scalar(value).trim()),
  sign: (value) => ownIn(signs, scalar(value).toLowerCase()) ?? '•',
  upper: (value) => scalar(value).toUpperCase(),
  count: (value) => (Array.isArray(value) ? String(value.length) : scalar(value)),
  /** `name=value` of each field. */
  pairs: (value) =>
    (isJson(value) ? Object.entries(value).map(([name, one]) => code(`${name}=${scalar(one)}`)) : []).join(' '),
  /** Annotations that have no line of their own. */
  notes: (value) => (isJson(value) ? quotedRest(restOf(value, annotated, (name) => name.startsWith('__'))) : ''),
  merged: (value) => (value === true ? 'It was merged.' : ''),
  forced: (value) => (value === true ? 'It was forced.' : ''),
};

const annotated = new Set(['summary', 'description', 'message']);

const quotedRest = (rest: string[]): string => (rest.length > 0 ? quoted(lines(rest)) : '');

/** Texts that are quoted of things that have pages of their own are cut. */
function shortened(text: string): string {
  return text.length > mostInQuote ? `${text.slice(0, mostInQuote).toWellFormed()}…` : text;
}

const place = /\{([\w.-]+)(?:\|(\w+))?\}/g;

/** A line with what it names; empty if something is not there. */
function filled(line: string, value: Json): string {
  let isWhole = true;
  const text = line.replaceAll(place, (_, path: string, form: string | undefined) => {
    const found = at(value, path);
    const said = isEmpty(found) ? '' : form ? (ownIn(forms, form)?.(found) ?? '') : inLine(scalar(found));
    if (said === '') isWhole = false;
    return said;
  });
  return isWhole ? text : '';
}

const scalar = (value: unknown): string => (typeof value === 'object' ? linesOf(value).join(', ') : String(value));

/** An event as text. @param common the fields that all events of a tool have, which are left out */
export function told(body: Json, { lines: said, each, parts }: Telling, common: readonly string[]): string {
  const listed = objectsIn(each && at(body, each.of));
  const own = new Set(each?.parts);
  const entries = listed.slice(0, each?.most).map((entry) => {
    const rest = restOf(entry, own, isAddress);
    return lines(
      each?.lines.map((one) => filled(one, entry)),
      quotedRest(rest),
    );
  });
  const more = listed.length > entries.length ? `… and ${listed.length - entries.length} more` : '';
  const title = lines(said.map((line) => filled(line, body)));
  const known = new Set([...common, ...(title ? parts : []), ...(each ? [each.of.split('.')[0] ?? ''] : [])]);
  return lines(title, entries, more, restOf(body, known, isAddress));
}

/** An event without a form of its own: all that it says. */
export function toldWhole(body: Json, title: string, common: readonly string[]): string {
  return lines(bold(title), restOf(body, new Set(common), isAddress));
}

/** Addresses of an API are for programs, and there are dozens of them in an event. */
const isAddress = (name: string): boolean => /(^|_)url$|^node_id$|^_links$/.test(name);

/** The first of some headers that is there. */
export const headerOf = ({ headers }: Delivery, ...names: string[]): string | undefined =>
  names.map((name) => headers[name]).find((value) => value);
