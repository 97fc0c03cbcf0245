import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { pathTo } from '../../state/router.ts';
import { useApp, useTexts } from '../useApp.ts';
import type { Atom, Mention } from './atoms.ts';
import { Code } from './Code.tsx';
import { type Inline as Piece, parseInline } from './inline.ts';
import { type Block, type ListBlock, parseText, type TableBlock } from './markdown.ts';
import { NamedEmoji } from './OwnEmoji.tsx';
import { Spoiler } from './Spoiler.tsx';

interface TextProps {
  content: string;
  /** For a few lines within a link: it contains no link, and only code is formatted as a block. */
  plain?: boolean;
  /** What it mentions, as the server found it; nothing else is shown as a mention. */
  mentions?: readonly Mention[];
}

const Atoms = createContext<readonly Atom[]>([]);

/**
 * What people write, as elements: code, quotations, lists, tables, headings, emphasis, links. Every piece is a text node or an
 * element created here, so no string of a user is ever parsed as HTML.
 */
export function Text({ content, plain = false, mentions }: TextProps) {
  const { blocks, rest, atoms } = useMemo(() => parseText(content, plain, mentions), [content, plain, mentions]);
  return (
    <Atoms.Provider value={atoms}>
      <Blocks list={blocks} plain={plain} />
      {rest || null}
    </Atoms.Provider>
  );
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
      return <Code text={block.text} language={block.language ?? ''} plain={plain} />;
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

/** Below the headings of the page: the conversation has the first level, the thread the second. */
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
      <table dir="auto">
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

function Inline({ text, plain }: { text: string; plain: boolean }) {
  return <Pieces list={parseInline(text, plain, useContext(Atoms))} plain={plain} />;
}

/** @param plain within a link */
function Pieces({ list, plain }: { list: readonly Piece[]; plain: boolean }) {
  return (
    <>
      {list.map((piece, i) => (
        <PieceView key={i} piece={piece} plain={plain} />
      ))}
    </>
  );
}

function PieceView({ piece, plain }: { piece: Piece; plain: boolean }) {
  switch (piece.kind) {
    case 'text':
      return <>{piece.text}</>;
    case 'code':
      return <code>{piece.text}</code>;
    case 'bold':
      return (
        <strong>
          <Pieces list={piece.pieces} plain={plain} />
        </strong>
      );
    case 'italic':
      return (
        <em>
          <Pieces list={piece.pieces} plain={plain} />
        </em>
      );
    case 'struck':
      return (
        <s>
          <Pieces list={piece.pieces} plain={plain} />
        </s>
      );
    case 'emoji':
      return <NamedEmoji name={piece.name} />;
    case 'spoiler':
      return <HiddenText {...piece} plain={plain} />;
    case 'mention':
      return <MentionView mention={piece.mention} plain={plain} />;
    case 'link':
      return <Link url={piece.url}>{piece.pieces && <Pieces list={piece.pieces} plain />}</Link>;
  }
}

/** Within a link nothing can be shown by a click. */
function HiddenText({ content, mentions, plain }: { content: string; mentions: readonly Mention[]; plain: boolean }) {
  const { t } = useTexts();
  if (plain) return <span class="spoiler">{t('Spoiler')}</span>;
  return (
    <Spoiler of={content} label={t('Spoiler')}>
      {() => <Text content={content} mentions={mentions} />}
    </Spoiler>
  );
}

/** As typed; an id is shown as the name, which for the others is under the pointer. */
function MentionView({ mention: { kind, token, label, targetId }, plain }: { mention: Mention; plain: boolean }) {
  const { servers } = useApp();
  const isId = token.startsWith('<');
  const text = isId ? `${token.charAt(1)}${label}` : token;
  if (kind === 'channel' && !plain) {
    return (
      <a class="mention" href={pathTo.channel(servers.current.value?.id ?? null, targetId)}>
        {text}
      </a>
    );
  }
  return (
    <span class="mention" title={isId || kind !== 'user' ? undefined : label}>
      {text}
    </span>
  );
}

/** The address is shown under the pointer where the link has a name. */
function Link({ url, children }: { url: string; children?: ComponentChildren }) {
  const { router } = useApp();
  const title = children ? url : undefined;
  const path = router.pathWithin(url);
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
