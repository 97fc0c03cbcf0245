import type { ComponentChildren } from 'preact';

/**
 * What people write, as elements: code, emphasis, links. Every piece is a text node or an element made here, so no
 * string of a user is ever read as HTML.
 */
export function Text({ content, plain = false }: { content: string; plain?: boolean }) {
  // A block begins and ends a line of its own, so the ends of the lines around it would be empty ones.
  const parts = content.split(/\n?(```[\s\S]+?```)\n?/g);
  return (
    <>
      {parts.map((part, i) =>
        i % 2 === 1 ? <Block key={i} source={part} /> : <Inline key={i} text={part} plain={plain} />,
      )}
    </>
  );
}

function Block({ source }: { source: string }) {
  const code = source
    .slice(3, -3)
    .replace(/^[\w+-]*\n/, '')
    .replace(/\n$/, '');
  return (
    <pre>
      <code>{code}</code>
    </pre>
  );
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
