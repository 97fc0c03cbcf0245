import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isLong } from './long.ts';

/** One start of mocha. */
export interface Run {
  args: string[];
  /** Of a cluster, where a test does not say. */
  nodes: 1 | 2;
  /** Which run of a file it is. */
  name: 'one node' | 'two nodes' | 'own nodes';
  /** It measures what a machine does: it starts after all others, and nothing runs beside it. */
  isAlone: boolean;
}

export interface Plan {
  /** In the order in which they are to be started. */
  runs: Run[];
  /** No files were named. */
  isWhole: boolean;
  /** Sentences about tags that are none: nothing is to be run. */
  mistakes: string[];
}

const tags = ['nodes: own', 'nodes: one and two', 'long', 'alone'] as const;
type Tag = (typeof tags)[number];

/** The comments before anything else in a file. */
const firstComments = /^(?:\/\/.*\n)*/;

/**
 * What is to be run, by the arguments and the tags of the files (both: see test/run.ts).
 * @param isAll with the files that are for long runs alone, which also run when they are named
 */
export function planFor(args: string[], isAll = isLong): Plan {
  const named = args.flatMap(filesAt);
  const isWhole = named.length === 0;
  const options = args.filter((arg) => filesAt(arg).length === 0);
  const texts = [...new Set(isWhole ? filesAt('test') : named)].sort().map((file) => ({ file, text: textOf(file) }));
  const mistakes = texts.flatMap(({ file, text }) => mistakesIn(file, text));
  if (mistakes.length > 0) return { runs: [], isWhole, mistakes };
  const due = texts.filter(({ text }) => isAll || !isWhole || !hasTag(text, 'long'));
  const filesWith = (tag: Tag) => due.filter(({ text }) => hasTag(text, tag)).map(({ file }) => file);
  const [own, onOne] = [filesWith('nodes: own'), filesWith('nodes: one and two')];
  const onTwo = due.map(({ file }) => file).filter((file) => !own.includes(file));
  const alone = filesWith('alone');
  const run = (files: string[], name: Run['name'], isAlone = false): Run => ({
    args: [...options, ...files],
    nodes: name === 'two nodes' ? 2 : 1,
    name,
    isAlone,
  });
  const parts = (files: string[], count: number, name: Run['name']): Run[] =>
    dealt(
      files.filter((file) => !alone.includes(file)),
      isWhole ? count : 1,
    ).map((part) => run(part, name));
  const measuring = (files: string[], name: Run['name']): Run[] => {
    const those = files.filter((file) => alone.includes(file));
    return those.length > 0 ? [run(those, name, true)] : [];
  };
  const isWeb = (file: string) => /^test.faults.web/.test(file);
  const isFault = (file: string) => /^test.faults/.test(file) && !isWeb(file);
  const runs = mixed([
    parts(onTwo, 5, 'two nodes'),
    parts(own.filter(isWeb), 4, 'own nodes'),
    parts(
      own.filter((file) => !isFault(file) && !isWeb(file)),
      3,
      'own nodes',
    ),
    parts(onOne, 1, 'one node'),
    parts(own.filter(isFault), 10, 'own nodes'),
  ]);
  const last = [...measuring(onTwo, 'two nodes'), ...measuring(onOne, 'one node'), ...measuring(own, 'own nodes')];
  return { runs: [...runs, ...last], isWhole, mistakes };
}

/** What is no tag among the first comments of a test file, each in a sentence. */
export function mistakesIn(file: string, text: string): string[] {
  const known = tags.map((tag) => `"// ${tag}"`).join(', ');
  const isKnown = (comment: string) => tags.some((tag) => tag === comment);
  const unknown = commentsOf(text).filter((comment) => !isKnown(comment));
  return unknown.map((comment) => `${file} begins with "// ${comment}", which is no tag; these are: ${known}.`);
}

function hasTag(text: string, tag: Tag): boolean {
  return commentsOf(text).includes(tag);
}

function commentsOf(text: string): string[] {
  const [lines = ''] = firstComments.exec(text) ?? [];
  return lines.split('\n').flatMap((line) => line.slice(2).trim() || []);
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8');
}

/** The test files that an argument names: one, those of a folder, or those of a pattern; none for an option. */
function filesAt(arg: string): string[] {
  if (arg.startsWith('-')) return [];
  const found = globSync([arg, path.join(arg, '**/*.test.ts')]).filter((file) => file.endsWith('.test.ts'));
  return found.map((file) => path.relative('', file));
}

/** Deals files out, so that neighbours come apart, which often take equally long. */
function dealt(files: string[], count: number): string[][] {
  const parts = Array.from({ length: count }, (_, part) => files.filter((_file, at) => at % count === part));
  return parts.filter((part) => part.length > 0);
}

/**
 * Puts runs of several kinds into one row, in which each kind is spread evenly: what works is beside what waits, as tests
 * with faults do, which would be in each other's way. The kind with the most and smallest runs has the last one, so that
 * all lanes end at about the same time.
 */
function mixed(kinds: Run[][]): Run[] {
  const placed = kinds.flatMap((runs) => runs.map((run, at) => ({ run, at: at / runs.length })));
  return placed.sort((a, b) => a.at - b.at).map(({ run }) => run);
}
