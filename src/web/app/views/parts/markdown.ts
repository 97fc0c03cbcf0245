import { framedIn } from '../../../../contract/mentions/quoted.ts';
import { type Atom, escapedBar, type Mention, restored, withAtoms } from './atoms.ts';
import { piecesIn } from './inline.ts';

/** A part of a text that stands on lines of its own. */
export type Block =
  | { kind: 'lines'; text: string }
  | { kind: 'rule' }
  | CodeBlock
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'quote'; blocks: Block[] }
  | ListBlock
  | TableBlock;

/** Its language as typed; absent: not said. */
export interface CodeBlock {
  kind: 'code';
  text: string;
  language?: string;
}

export interface ListBlock {
  kind: 'list';
  isOrdered: boolean;
  items: Item[];
}

interface Item {
  text: string;
  /** As typed: lists are not renumbered. */
  number: number | undefined;
  /** Of a task, whether it is done; of any other item it is undefined. */
  isDone: boolean | undefined;
  lists: ListBlock[];
}

export interface TableBlock {
  kind: 'table';
  head: string[];
  /** The alignment of each column. */
  sides: ('left' | 'center' | 'right')[];
  rows: string[][];
}

/** Elements in one message: those of a page together must not keep a browser busy for long. */
const maxElements = 500;

/** A text as blocks. */
interface Parsed {
  blocks: Block[];
  /** The rest as typed, where it would become more elements than a message may have. */
  rest: string;
  /** What stands in the text of blocks that are not code. */
  atoms: Atom[];
}

/**
 * Parses a text.
 * @param plain parses nothing but code, for places that have room for a few lines only
 * @param mentions what the server found in it
 */
export function parseText(content: string, plain = false, mentions: readonly Mention[] = []): Parsed {
  const { text, atoms } = withAtoms(content, mentions);
  const { blocks, rest } = parseUpTo(text, plain);
  return { blocks: text === content ? blocks : asTyped(blocks, atoms), rest: restored(rest, atoms), atoms };
}

/** Code is shown as typed. */
function asTyped(blocks: Block[], atoms: readonly Atom[]): Block[] {
  return blocks.map((block) => {
    if (block.kind === 'code') return { ...block, text: restored(block.text, atoms) };
    return block.kind === 'quote' ? { ...block, blocks: asTyped(block.blocks, atoms) } : block;
  });
}

function parseUpTo(content: string, plain: boolean): { blocks: Block[]; rest: string } {
  const parse = plain ? plainBlocksOf : (text: string) => blocksOf(text);
  const fits = (text: string) => weightOf(parse(text)) + piecesIn(text, maxElements + 1) <= maxElements;
  if (fits(content)) return { blocks: parse(content), rest: '' };
  const lines = content.split('\n');
  const start = (count: number) => lines.slice(0, count).join('\n');
  // From the start, since a text with many elements is cut early, and parsing all of it again and again takes long.
  let high = 1;
  while (high < lines.length && fits(start(high))) high *= 2;
  let low = high >> 1;
  high = Math.min(high, lines.length);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(start(middle))) low = middle;
    else high = middle;
  }
  return { blocks: parse(start(low)), rest: lines.slice(low).join('\n') };
}

/** Quotations and lists nested deeper stay as typed: there would be no room for them. */
const maxDepth = 4;

const headed = /^(#{1,6}) +(\S.*?)(?: +#+)? *$/;
const ruled = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/;
const listed = /^([ \t]*)(?:[-*]|(\d{1,3})[.)]) +(\S.*)$/;
const asTask = /^\[([ xX])\] +(?=\S)/;
const continued = /^[ \t]{2,}\S/;

/** Parses a text. Blocks stand on lines of their own, so an empty line before or after one is dropped. */
function blocksOf(content: string, depth = 0): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  for (const { kind, source, start, end } of framedIn(content)) {
    if (kind === 'quote' && depth === maxDepth) continue;
    const before = content.slice(from, start);
    // Code in a list is as far from the edge as the list.
    const [, indent = ''] = kind === 'code' ? (/(?:^|\n)( +)$/.exec(before) ?? []) : [];
    blocks.push(...linesOf(before.slice(0, before.length - indent.length).replace(/\n$/, '')));
    if (kind === 'quote') blocks.push({ kind, blocks: blocksOf(source.replace(/^> ?/gm, ''), depth + 1) });
    else blocks.push(kind === 'table' ? tableOf(source) : codeOf(source, indent.length));
    // The end of its last line.
    from = end + (content[end] === '\n' ? 1 : 0);
  }
  blocks.push(...linesOf(content.slice(from)));
  return blocks
    .map((block, i) => trimmed(block, i > 0, i < blocks.length - 1))
    .filter((block) => block.kind !== 'lines' || block.text !== '');
}

/** A table costs a browser about as much as this many other elements. */
const weightOfTable = 20;

/** How many elements blocks become, without those within a line. Each row of a table has as many cells as its head. */
function weightOf(blocks: Block[]): number {
  return blocks.reduce((sum, block) => sum + 1 + weightWithin(block), 0);
}

function weightWithin(block: Block): number {
  switch (block.kind) {
    case 'quote':
      return weightOf(block.blocks);
    case 'list':
      return block.items.reduce((sum, { lists, isDone }) => sum + (isDone === undefined ? 1 : 2) + weightOf(lists), 0);
    case 'table':
      return weightOfTable + block.head.length * (block.rows.length + 1);
    default:
      return 0;
  }
}

/** Parses nothing but code, for places that have room for a few lines only. */
function plainBlocksOf(content: string): Block[] {
  const blocks: Block[] = [];
  let from = 0;
  for (const { kind, source, start, end } of framedIn(content)) {
    if (kind !== 'code') continue;
    blocks.push({ kind: 'lines', text: content.slice(from, start).replace(/\n$/, '') }, codeOf(source));
    from = end + (content[end] === '\n' ? 1 : 0);
  }
  return [...blocks, { kind: 'lines', text: content.slice(from) }];
}

/** @param indent how many spaces before each line are not its own */
function codeOf(source: string, indent = 0): CodeBlock {
  const [, inner = ''] = /^`+([\s\S]+?)`+$/.exec(source) ?? [];
  const [line, language] = /^([\w+#.-]*)[ \t]*\n/.exec(inner) ?? ['', ''];
  const typed = inner.slice(line.length).replace(/\n *$/, '');
  const text = indent === 0 ? typed : typed.replace(new RegExp(`^ {1,${indent}}`, 'gm'), '');
  return language ? { kind: 'code', text, language: language.toLowerCase() } : { kind: 'code', text };
}

function tableOf(source: string): TableBlock {
  const [head = [], marks = [], ...rows] = source.split('\n').map(cellsOf);
  const sides = marks.map((mark) => (mark.endsWith(':') ? (mark.startsWith(':') ? 'center' : 'right') : 'left'));
  return { kind: 'table', head, sides, rows };
}

/** The bars at the ends of a line may be left out. A bar behind a backslash is one also in code. */
const cellsOf = (line: string) =>
  line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim().replaceAll(escapedBar, '|'));

function trimmed(block: Block, isAfter: boolean, isBefore: boolean): Block {
  if (block.kind !== 'lines') return block;
  const text = isAfter ? block.text.replace(/^\n/, '') : block.text;
  return { ...block, text: isBefore ? text.replace(/\n$/, '') : text };
}

interface Run {
  kind: 'lines' | 'heading' | 'rule' | 'list';
  lines: string[];
}

/** Finds headings, rules and lists. */
function linesOf(text: string): Block[] {
  const runs: Run[] = [];
  for (const line of text.split('\n')) {
    const last = runs.at(-1);
    const kind = kindOf(line, last);
    if (last?.kind === kind && kind !== 'heading') last.lines.push(line);
    else runs.push({ kind, lines: [line] });
  }
  return runs.flatMap(({ kind, lines }): Block[] => {
    if (kind === 'list') return listsOf(itemsOf(lines), 1);
    if (kind === 'rule') return lines.map(() => ({ kind }));
    const text = lines.join('\n');
    const [, signs, title] = (kind === 'heading' && headed.exec(text)) || [];
    return [signs && title ? { kind: 'heading', level: signs.length, text: title } : { kind: 'lines', text }];
  });
}

function kindOf(line: string, before: Run | undefined): Run['kind'] {
  if (headed.test(line)) return 'heading';
  if (ruled.test(line)) return 'rule';
  return listed.test(line) || (before?.kind === 'list' && continued.test(line)) ? 'list' : 'lines';
}

interface Entry {
  indent: number;
  number: number | undefined;
  text: string;
}

function itemsOf(lines: string[]): Entry[] {
  const entries: Entry[] = [];
  for (const line of lines) {
    const [, space, digits, text] = listed.exec(line) ?? [];
    const last = entries.at(-1);
    if (space !== undefined && text !== undefined) {
      const indent = space.replaceAll('\t', '    ').length;
      entries.push({ indent, number: digits === undefined ? undefined : Number(digits), text });
    } else if (last) last.text += `\n${line.trim()}`;
  }
  return entries;
}

/** Nests indented items under their parent. */
function listsOf(entries: Entry[], depth: number): ListBlock[] {
  const lists: ListBlock[] = [];
  const [first] = entries;
  for (let at = 0; first && at < entries.length; ) {
    const { text, number } = entries[at] ?? first;
    const isOrdered = number !== undefined;
    let end = at + 1;
    while (depth < maxDepth && (entries[end]?.indent ?? 0) >= first.indent + 2) end++;
    const [box, mark] = asTask.exec(text) ?? ['', undefined];
    const isDone = mark === undefined ? undefined : mark !== ' ';
    const below = listsOf(entries.slice(at + 1, end), depth + 1);
    const item = { text: text.slice(box.length), number, isDone, lists: below };
    const last = lists.at(-1);
    if (last?.isOrdered === isOrdered) last.items.push(item);
    else lists.push({ kind: 'list', isOrdered, items: [item] });
    at = end;
  }
  return lists;
}
