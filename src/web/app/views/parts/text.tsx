import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { emojiOf } from '../../state/emoji.ts';
import { pathWithin } from '../../state/router.ts';
import { copy } from '../../state/toasts.ts';
import { IconButton } from './Button.tsx';
import { type Block, blocksOf, type ListBlock, plainBlocksOf, type TableBlock, weightOf } from './blocks.ts';

interface TextProps {
  content: string;
  /** For a few lines within a link: nothing in it leads anywhere, and only code has a form of its own. */
  plain?: boolean;
  /** Where channels are that it names, by how they were typed. */
  channels?: ReadonlyMap<string, string>;
}

const nowhere: ReadonlyMap<string, string> = new Map();
const Channels = createContext(nowhere);

/**
 * What people write, as elements: code, quotations, lists, tables, headings, emphasis, links. Every piece is a text node or an
 * element made here, so no string of a user is ever read as HTML.
 */
export function Text({ content, plain = false, channels = nowhere }: TextProps) {
  const { blocks, rest } = useMemo(() => laidOut(content, plain), [content, plain]);
  return (
    <Channels.Provider value={channels}>
      <Blocks list={blocks} plain={plain} />
      {rest || null}
    </Channels.Provider>
  );
}

/** Elements in one message: those of a page together must not keep a browser busy for long. */
const mostElements = 500;

/** What a text is shown as, and what follows as it was written, where it would become more elements than that. */
function laidOut(content: string, plain: boolean): { blocks: Block[]; rest: string } {
  const take = plain ? plainBlocksOf : blocksOf;
  const fits = (text: string) => weightOf(take(text)) + countOf(text.matchAll(inline)) <= mostElements;
  if (fits(content)) return { blocks: take(content), rest: '' };
  const lines = content.split('\n');
  let [low, high] = [0, lines.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(lines.slice(0, middle).join('\n'))) low = middle;
    else high = middle;
  }
  return { blocks: take(lines.slice(0, low).join('\n')), rest: lines.slice(low).join('\n') };
}

function countOf(found: Iterable<unknown>): number {
  let count = 0;
  for (const _ of found) if (++count > mostElements) break;
  return count;
}

function Blocks({ list, plain }: { list: Block[]; plain: boolean }) {
  return (
    <>
      {list.map((block, i) => (
        <BlockView key={i} block={block} plain={plain} />
      ))}
    </>
  );
}

function BlockView({ block, plain }: { block: Block; plain: boolean }) {
  switch (block.kind) {
    case 'lines':
      return <Inline text={block.text} plain={plain} />;
    case 'code':
      return <Code text={block.text} plain={plain} />;
    case 'heading':
      return <Heading level={block.level} text={block.text} />;
    case 'quote':
      return (
        <blockquote dir="auto">
          <Blocks list={block.blocks} plain={plain} />
        </blockquote>
      );
    case 'list':
      return <List list={block} />;
    case 'table':
      return <Table table={block} />;
  }
}

function Code({ text, plain }: { text: string; plain: boolean }) {
  const code = (
    <pre>
      <code>{text}</code>
    </pre>
  );
  // Only secure pages have a clipboard.
  if (plain || !navigator.clipboard) return code;
  return (
    <div class="snippet">
      {code}
      <IconButton icon="copy" label="Copy the code" onClick={() => void copy(text)} />
    </div>
  );
}

/** Below those of the page: the conversation has the first, what stands beside it the second. */
function Heading({ level, text }: { level: number; text: string }) {
  const title = <Inline text={text} plain={false} />;
  if (level === 1) return <h3>{title}</h3>;
  return level === 2 ? <h4>{title}</h4> : <h5>{title}</h5>;
}

function List({ list: { isOrdered, items } }: { list: ListBlock }) {
  const entries = items.map(({ text, number, lists }, i) => (
    <li key={i} value={number}>
      <Inline text={text} plain={false} />
      {lists.map((list, at) => (
        <List key={at} list={list} />
      ))}
    </li>
  ));
  return isOrdered ? <ol dir="auto">{entries}</ol> : <ul dir="auto">{entries}</ul>;
}

function Table({ table: { head, sides, rows } }: { table: TableBlock }) {
  const cells = (row: string[], Cell: 'th' | 'td') =>
    head.map((_, i) => (
      <Cell key={i} class={sides[i]}>
        <Inline text={row[i] ?? ''} plain={false} />
      </Cell>
    ));
  return (
    <div class="table">
      <table>
        <thead>
          <tr>{cells(head, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Bold text may have italic text in it, also at its end: `***both***`. */
const inline =
  /(`[^`\n]+`)|((?<!\*)\*\*(?=\*[^*\s]|[^*\n])(?:[^*\n]|\*(?!\*)|\*(?=\*\*(?!\*)))+\*\*(?!\*))|((?<![\w*])\*[^*\s][^*\n]*\*(?!\w)|(?<![\p{L}\p{N}_])_(?!\s)[^_\n]+(?<!\s)_(?![\p{L}\p{N}_]))|(~~[^~\n]+~~)|\[([^[\]\n]+)\]\((https?:\/\/(?:[^\s<>"'()]|\([^\s<>"'()]*\))+)\)|(https?:\/\/(?:\([^\s<>"'()]*\)|\((?![^\s<>"'()]*\))|[^\s<>"'(])*(?:\([^\s<>"'()]*\)|[^\s<>"'.,;:!?()\]}]))|((?<![\w@])@[\p{L}\p{N}_.-]*[\p{L}\p{N}_-])|(?<![\p{L}\p{N}:]):([a-z\d_+-]+):(?![\p{L}\p{N}:])|(?<![\w#&/])#[\p{L}\p{N}_.-]*[\p{L}\p{N}_-]/gu;

/** @param plain links are not to be followed: it stands inside of one */
function Inline({ text, plain }: { text: string; plain: boolean }) {
  const nodes: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(inline)) {
    nodes.push(text.slice(from, match.index), <Piece key={match.index} match={match} plain={plain} />);
    from = match.index + match[0].length;
  }
  nodes.push(text.slice(from));
  return <>{nodes}</>;
}

function Piece({ match, plain }: { match: RegExpExecArray; plain: boolean }) {
  const [piece, code, bold, italic, struck, label, target, link, person, emoji] = match;
  const inner = (signs: number) => <Inline text={piece.slice(signs, -signs)} plain={plain} />;
  if (code) return <code>{code.slice(1, -1)}</code>;
  if (bold) return <strong>{inner(2)}</strong>;
  if (italic) return <em>{inner(1)}</em>;
  if (struck) return <s>{inner(2)}</s>;
  if (label && target) return <NamedLink label={label} url={target} plain={plain} />;
  if (person) return <span class="mention">{person}</span>;
  if (emoji) return <>{emojiOf(piece)}</>;
  if (!link) return <ChannelName name={piece} plain={plain} />;
  return plain ? link : <Link url={link} />;
}

/** Leads there, if it is the name of a channel. */
function ChannelName({ name, plain }: { name: string; plain: boolean }) {
  const href = useContext(Channels).get(name);
  if (plain || !href) return <>{name}</>;
  return (
    <a class="mention" href={href}>
      {name}
    </a>
  );
}

/** Its address is told under the pointer. A name that is itself an address could lie, so both are shown as typed. */
function NamedLink({ label, url, plain }: { label: string; url: string; plain: boolean }) {
  const name = <Inline text={label} plain />;
  if (plain) return name;
  if (!/[\p{L}\p{N}]\.\p{L}{2,}/u.test(label)) return <Link url={url}>{name}</Link>;
  return (
    <>
      [{name}](
      <Link url={url} />)
    </>
  );
}

function Link({ url, children }: { url: string; children?: ComponentChildren }) {
  const title = children ? url : undefined;
  const path = pathWithin(url);
  if (path !== null) {
    return (
      <a href={path} title={title}>
        {children ?? url}
      </a>
    );
  }
  return (
    <a href={url} title={title} target="_blank" rel="noopener noreferrer nofollow">
      {children ?? url}
    </a>
  );
}
