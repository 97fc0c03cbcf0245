import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Block, blocksOf, type ListBlock, plainBlocksOf } from './blocks.ts';

interface TextProps {
  content: string;
  /** For a few lines within a link: nothing in it leads anywhere, and only code has a form of its own. */
  plain?: boolean;
}

/**
 * What people write, as elements: code, quotations, lists, headings, emphasis, links. Every piece is a text node or an
 * element made here, so no string of a user is ever read as HTML.
 */
export function Text({ content, plain = false }: TextProps) {
  const blocks = useMemo(() => (plain ? plainBlocksOf(content) : blocksOf(content)), [content, plain]);
  return <Blocks list={blocks} plain={plain} />;
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
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
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
  }
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
const inline =
  /(`[^`\n]+`)|(\*\*[^*\n]+\*\*)|((?<![\w*])\*[^*\s][^*\n]*\*(?!\w))|(~~[^~\n]+~~)|(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])|((?<![\w@])@[\p{L}\p{N}_.-]*[\p{L}\p{N}_-])/gu;

/** @param plain links are not to be followed: it stands inside of one */
function Inline({ text, plain }: { text: string; plain: boolean }) {
  const nodes: ComponentChildren[] = [];
  let from = 0;
  for (const match of text.matchAll(inline)) {
    const [piece, code, bold, italic, struck, link] = match;
    nodes.push(text.slice(from, match.index));
    const key = match.index;
    if (code) nodes.push(<code key={key}>{code.slice(1, -1)}</code>);
    else if (bold) nodes.push(<strong key={key}>{bold.slice(2, -2)}</strong>);
    else if (italic) nodes.push(<em key={key}>{italic.slice(1, -1)}</em>);
    else if (struck) nodes.push(<s key={key}>{struck.slice(2, -2)}</s>);
    else if (link) nodes.push(plain ? link : <Link key={key} url={link} />);
    else
      nodes.push(
        <span key={key} class="mention">
          {piece}
        </span>,
      );
    from = match.index + piece.length;
  }
  nodes.push(text.slice(from));
  return <>{nodes}</>;
}

function Link({ url }: { url: string }) {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {url}
    </a>
  );
}
