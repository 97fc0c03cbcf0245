import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { channelNamed, userNamed } from '../../state/named.ts';
import { pathTo } from '../../state/router.ts';
import { useApp, useTexts } from '../useApp.ts';
import type { Atom, Mention } from './atoms.ts';
import { Code } from './Code.tsx';
import { type Inline as Piece, parseInline } from './inline.ts';
import { type Block, type ListBlock, parseText, type TableBlock } from './markdown.ts';
import { NamedEmoji } from './OwnEmoji.tsx';
import { PersonButton } from './PersonButton.tsx';
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
    case 'rule':
      return <hr />;
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
  if (level === 2) return <h4>{title}</h4>;
  return level === 3 ? <h5>{title}</h5> : <h6>{title}</h6>;
}

function List({ list: { isOrdered, items } }: { list: ListBlock }) {
  const entries = items.map(({ text, number, isDone, lists }, i) => (
    <li key={i} value={number} class={isDone === undefined ? undefined : 'task'}>
      {isDone !== undefined && <TaskBox isDone={isDone} />}
      <Inline text={text} plain={false} />
      {lists.map((list, at) => (
        <List key={at} list={list} />
      ))}
    </li>
  ));
  return isOrdered ? <ol dir="auto">{entries}</ol> : <ul dir="auto">{entries}</ul>;
}

/** It is changed in the text alone. */
function TaskBox({ isDone }: { isDone: boolean }) {
  const { t } = useTexts();
  return <input type="checkbox" checked={isDone} disabled aria-label={isDone ? t('Done') : t('Not done')} />;
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
    case 'id':
      return <IdView of={piece.of} id={piece.id} plain={plain} />;
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

/** As typed; an id and what is in brackets is shown as the name, which for the others is under the pointer. */
function MentionView({ mention: { kind, token, label, targetId }, plain }: { mention: Mention; plain: boolean }) {
  const { servers } = useApp();
  const isLabel = token.startsWith('<');
  const text = isLabel ? `${token.charAt(1)}${label}` : token;
  if (plain || kind === 'here' || kind === 'everyone') return <span class="mention">{text}</span>;
  if (kind === 'channel') {
    return (
      <a class="mention" href={pathTo.channel(servers.current.value?.id ?? null, targetId)}>
        {text}
      </a>
    );
  }
  return (
    <PersonButton person={{ id: targetId, displayName: label }} class="mention" title={isLabel ? undefined : label}>
      {text}
    </PersonButton>
  );
}

/** What an id stands for that the server did not look up, as far as the page knows. */
function IdView({ of, id, plain }: { of: 'user' | 'channel'; id: string; plain: boolean }) {
  const { t } = useTexts();
  const app = useApp();
  if (of === 'user') {
    const name = userNamed(app, id);
    if (name === undefined) return <span class="faint">@{t('unknown user')}</span>;
    const text = `@${name}`;
    if (plain) return <>{text}</>;
    return (
      <PersonButton person={{ id, displayName: name }} class="mention">
        {text}
      </PersonButton>
    );
  }
  const place = channelNamed(app, id);
  if (!place) return <span class="faint">#{t('unknown channel')}</span>;
  const text = `#${place.name}`;
  if (plain) return <>{text}</>;
  return (
    <a class="mention" href={pathTo.channel(place.serverId, id)}>
      {text}
    </a>
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
