// nodes: own

import { expect } from 'chai';
import type { Atom, Mention } from '../../src/web/app/views/parts/atoms.ts';
import { type Inline, isEmojiAlone, parseInline } from '../../src/web/app/views/parts/inline.ts';
import { type Block, parseText } from '../../src/web/app/views/parts/markdown.ts';

/** Prints what a text is parsed into: a short element for each block and piece. */
const print = (text: string, mentioned: string[] = []): string => {
  const { blocks, rest, atoms } = parseText(text, false, mentionsOf(text, mentioned));
  return blocks.map((block) => printBlock(block, atoms)).join('') + rest;
};

/** The tokens, where each of them stands in the text after the one before it. */
function mentionsOf(text: string, tokens: string[]): Mention[] {
  let from = 0;
  return tokens.map((token) => {
    const start = text.indexOf(token, from);
    from = start + token.length;
    return { kind: 'user', targetId: token, token, label: token, range: { start, end: from } };
  });
}

function printBlock(block: Block, atoms: Atom[] = []): string {
  const printLine = (text: string): string => parseInline(text, false, atoms).map(printPiece).join('');
  switch (block.kind) {
    case 'lines':
      return printLine(block.text);
    case 'code':
      return `<pre>${block.text}</pre>`;
    case 'rule':
      return '<rule>';
    case 'heading':
      return `<h${block.level}>${printLine(block.text)}</h${block.level}>`;
    case 'quote':
      return `<quote>${block.blocks.map((one) => printBlock(one, atoms)).join('')}</quote>`;
    case 'list': {
      const items = block.items.map(
        ({ text, number, isDone, lists }) =>
          `<${number ?? '-'}>${isDone === undefined ? '' : isDone ? '<done>' : '<open>'}${printLine(text)}${lists.map((one) => printBlock(one, atoms)).join('')}`,
      );
      return `<list>${items.join('')}</list>`;
    }
    case 'table': {
      const rows = [block.head, ...block.rows].map((row) => row.map(printLine).join('|'));
      return `<table ${block.sides.join(' ')}>${rows.join('/')}</table>`;
    }
  }
}

function printPiece(piece: Inline): string {
  switch (piece.kind) {
    case 'text':
      return piece.text;
    case 'code':
      return `<code>${piece.text}</code>`;
    case 'mention':
      return `<to ${piece.mention.token}>`;
    case 'spoiler':
      return `<spoiler ${print(
        piece.content,
        piece.mentions.map(({ token }) => token),
      )}>`;
    case 'emoji':
      return `:${piece.name}:`;
    case 'id':
      return `<${piece.of} ${piece.id.slice(0, 4)}>`;
    case 'link':
      return piece.pieces ? `<a ${piece.url}>${piece.pieces.map(printPiece).join('')}</a>` : `<a ${piece.url}>`;
    default: {
      const tag = { bold: 'b', italic: 'i', struck: 's' }[piece.kind];
      return `<${tag}>${piece.pieces.map(printPiece).join('')}</${tag}>`;
    }
  }
}

const expectAll = (cases: readonly (readonly [string, string])[]) => {
  for (const [text, printed] of cases) expect(print(text), text).to.equal(printed);
};

describe('formatted text in the web client', () => {
  it('hides spoilers as the server finds them, with all that is in them', () => {
    expect(print('is ||*Bob*|| and `a || b`')).to.equal('is <spoiler <i>Bob</i>> and <code>a || b</code>');
    expect(print('||@bob and|| @ann', ['@bob', '@ann'])).to.equal('<spoiler <to @bob> and> <to @ann>');
    expect(print('||one\ntwo||\n- a ||b||')).to.equal('<spoiler one\ntwo><list><->a <spoiler b></list>');
    expect(print('```\n||code||\n```')).to.equal('<pre>||code||</pre>');
    expect(print('||| a')).to.equal('||| a');
  });

  it('has code with backticks in it, and code in lists', () => {
    expectAll([
      ['````md\n```\na\n```\n````\nb', '<pre>```\na\n```</pre>b'],
      ['- a\n  ```\n  b\n    c\n  ```\n- d', '<list><->a</list><pre>b\n  c</pre><list><->d</list>'],
      ['\\```a```', '```a```'],
    ]);
  });

  it('keeps the language of code', () => {
    expect(parseText('```TS\nlet a;\n```').blocks).to.deep.equal([{ kind: 'code', text: 'let a;', language: 'ts' }]);
    expect(parseText('```c#\nvar a;\n```').blocks).to.deep.equal([{ kind: 'code', text: 'var a;', language: 'c#' }]);
    expect(parseText('```let a;```').blocks).to.deep.equal([{ kind: 'code', text: 'let a;' }]);
  });

  it('has headings, quotations and lists, numbered as typed', () => {
    expectAll([
      [
        '# The *plan*\n\nfor us:\n- one\n  1. deep\n  3. deeper\n- two\n  goes on\n\n> said `he`\n> > once\n\nend',
        '<h1>The <i>plan</i></h1>for us:<list><->one<list><1>deep<3>deeper</list><->two\ngoes on</list>' +
          '<quote>said <code>he</code><quote>once</quote></quote>end',
      ],
      [
        '### deep ##\n#### deeper\n###### deepest\n####### no',
        '<h3>deep</h3><h4>deeper</h4><h6>deepest</h6>####### no',
      ],
      ['* a\n1. b', '<list><->a</list><list><1>b</list>'],
    ]);
  });

  it('stays as typed where it is code, or only looks like a list, a heading or a quotation', () => {
    expectAll([
      [
        'code:\n```\n# a\n> b\n- c\n```\n-5 degrees\n#1\n>_<\n2026. no\n--\n--- x',
        'code:<pre># a\n> b\n- c</pre>-5 degrees\n#1\n>_<\n2026. no\n--\n--- x',
      ],
      ['```ts\nlet a = `b`;\n\n  a += 1;\n```', '<pre>let a = `b`;\n\n  a += 1;</pre>'],
      ['before\n```\nx\n```\nafter', 'before<pre>x</pre>after'],
      ['> ```\n> quoted code\n> ```', '<quote><pre>quoted code</pre></quote>'],
      ['```\n> code\n```', '<pre>> code</pre>'],
    ]);
  });

  it('has lines across, and tasks', () => {
    expectAll([
      ['a\n---\n***\nb\n\n_ _ _', 'a<rule><rule>b<rule>'],
      [
        '- [ ] one\n- [x] *two*\n  1. [X] three\n- [ ]\n- [y] no',
        '<list><-><open>one<-><done><i>two</i><list><1><done>three</list><->[ ]<->[y] no</list>',
      ],
    ]);
  });

  it('means signs behind backslashes as they are, but in code', () => {
    expectAll([
      [
        '\\*a\\* \\_b\\_ \\~~c\\~~ \\:tada: \\[d](https://e.example/) \\\\ \\a',
        '*a* _b_ ~~c~~ :tada: [d](<a https://e.example/>) \\ \\a',
      ],
      ['\\# a\n\\- b\n\\> c\n1\\. d\n\\---', '# a\n- b\n> c\n1. d\n---'],
      ['\\`a\\` `b\\*\\` `c` \\\\`d`', '`a` <code>b\\*\\</code> <code>c</code> \\<code>d</code>'],
      ['```\n\\*a\\` \\||b\\||\n```', '<pre>\\*a\\` \\||b\\||</pre>'],
      ['\\|\\|a|| b', '||a|| b'],
      ['||c\\|| d||', '<spoiler c|| d>'],
      ['¯\\_(ツ)_/¯', '¯\\_(ツ)_/¯'],
      ['**a\\** b**', '<b>a** b</b>'],
      ['[a\\]](https://b.example/c\\_d)', '<a https://b.example/c_d>a]</a>'],
      ['[b\\.example](https://c.example/)', '[b.example](<a https://c.example/>)'],
    ]);
    expect(print('\\@bob @bob', ['@bob'])).to.equal('\\<to @bob> @bob');
  });

  it('shows ids that stand for nobody known', () => {
    const id = '019a9d3e-7a3c-7b1e-9c55-3f0d7a1c2b4d';
    expectAll([
      [`<@${id}> <#${id}> \`<@${id}>\` <@x>`, `<user 019a> <channel 019a> <code><@${id}></code> <@x>`],
      [`\\<@${id}>`, `<@${id}>`],
    ]);
  });

  it('is nested to a bound', () => {
    const depth = (text: string, tag: string) => print(text).split(`<${tag}>`).length - 1;
    expect(depth(`${'> '.repeat(300)}bottom`, 'quote')).to.equal(4);
    expect(depth(Array.from({ length: 100 }, (_, i) => `${'  '.repeat(i)}- x`).join('\n'), 'list')).to.equal(4);
    expect(print(`${'> '.repeat(300)}bottom`)).to.contain('bottom');
  });

  it('is slanted between single asterisks and underscores that are not in a word', () => {
    expectAll([
      [
        '_very much_ (_so_) snake_case_name _a_b_ a__init__ _ x_ a_',
        '<i>very much</i> (<i>so</i>) snake_case_name _a_b_ a__init__ _ x_ a_',
      ],
      ['a *b* c, 2 * 3 * 4', 'a <i>b</i> c, 2 * 3 * 4'],
    ]);
  });

  it('is bold, slanted and struck at once, and has the one in the other', () => {
    expectAll([
      ['a ***both*** b', 'a <b><i>both</i></b> b'],
      ['***both* bold**', '<b><i>both</i> bold</b>'],
      ['**bold *both***', '<b>bold <i>both</i></b>'],
      ['**a *b* c** and **d**', '<b>a <i>b</i> c</b> and <b>d</b>'],
      ['**_both_**', '<b><i>both</i></b>'],
      ['__very _much_ so__ a__b__ __ x__ ____', '<b>very <i>much</i> so</b> a__b__ __ x__ ____'],
      ['~~gone **bold**~~', '<s>gone <b>bold</b></s>'],
      ['f*****g, *****, *** and 2 ** 3 * 4', 'f*****g, *****, *** and 2 ** 3 * 4'],
    ]);
  });

  it('shows as mentions what the server found, where it stands, and nothing else', () => {
    expect(print('@alice, @alice and #general', ['@alice', '#general'])).to.equal(
      '<to @alice>, @alice and <to #general>',
    );
    expect(print('> a\n- **_@bob_**, `x`\n\n| @al | b |\n|--|--|', ['@bob', '@al'])).to.equal(
      '<quote>a</quote><list><-><b><i><to @bob></i></b>, <code>x</code></list><table left left><to @al>|b</table>',
    );
    expect(print('@bob `@bob` ```\n@bob```', ['@bob', '@bob', '@bob'])).to.equal(
      '<to @bob> <code>@bob</code> <pre>@bob</pre>',
    );
    expect(print('[see @bob](https://a.example/)', ['@bob'])).to.equal('<a https://a.example/>see <to @bob></a>');
  });

  it('shows text of any characters as it is, and mentions that do not fit it not at all', () => {
    const odd = '\u{100000}\u{10fffd} `\u{100001}` \u{100002}';
    expect(print(`${odd}@bob ${odd}`, ['@bob'])).to.equal(
      '\u{100000}\u{10fffd} <code>\u{100001}</code> \u{100002}<to @bob> \u{100000}\u{10fffd} <code>\u{100001}</code> \u{100002}',
    );
    const wrong = mentionsOf('@bob', ['@bob']).flatMap((mention) =>
      [3, -1, 40].map((start) => ({ ...mention, range: { start, end: start + 4 } })),
    );
    expect(parseText('a @bob', false, wrong).blocks).to.deep.equal([{ kind: 'lines', text: 'a @bob' }]);
  });

  it('is code between any number of backticks, in one line', () => {
    expectAll([
      ['`a` ``b ` c`` `` `d` ``', '<code>a</code> <code>b ` c</code> <code>`d`</code>'],
      ['`a\nb` ```` `c`', '`a\nb<code>````</code>c`'],
      ['**bold `**` bold** *a `*` b*', '<b>bold <code>**</code> bold</b> <i>a <code>*</code> b</i>'],
    ]);
  });

  it('has emoji by their names', () => {
    expectAll([
      ['emoji: :tada: (:+1:) :not_one: 10:100:30 `:tada:`', 'emoji: 🎉 (👍) :not_one: 10:100:30 <code>:tada:</code>'],
    ]);
  });

  it('is large where it is up to eight emoji and nothing else', () => {
    for (const text of ['🎉👍🏽 ❤️', '🇩🇪👨‍👩‍👧', '🐱'.repeat(8)]) expect(isEmojiAlone(text), text).to.equal(true);
    for (const text of ['🎉 yes', '🐱'.repeat(9), '12', '']) expect(isEmojiAlone(text), text).to.equal(false);
  });

  it('has links with the brackets that are part of them, and not those around them', () => {
    const [brackets, plain] = ['https://a.example/x_(y)', 'https://a.example/z'];
    expectAll([
      [`${brackets} (${plain}) (${brackets}).`, `<a ${brackets}> (<a ${plain}>) (<a ${brackets}>).`],
      ['https://a.example/, https://b.example!', '<a https://a.example/>, <a https://b.example>!'],
      ['see <https://a.example/x?y=1>, now', 'see <a https://a.example/x?y=1>, now'],
      [
        'www.a.example, (www.b.example/x_(y)?z) and xwww.c.example www.d a@www.e.example',
        '<a https://www.a.example>www.a.example</a>, (<a https://www.b.example/x_(y)?z>www.b.example/x_(y)?z</a>) and xwww.c.example www.d a@www.e.example',
      ],
    ]);
  });

  it('has links with names, whose addresses are never hidden behind another address', () => {
    expectAll([
      [
        '**see [the `docs`](https://a.example/x_(y)?z=1), now**',
        '<b>see <a https://a.example/x_(y)?z=1>the <code>docs</code></a>, now</b>',
      ],
      ['![a cat](https://a.example/cat.png "so sweet")', '<a https://a.example/cat.png>a cat</a>'],
      ['[`b`.example](https://c.example/)', '[<code>b</code>.example](<a https://c.example/>)'],
      ['[b.example](https://c.example/)', '[b.example](<a https://c.example/>)'],
      ['[see https://b.example](https://c.example/)', '[see https://b.example](<a https://c.example/>)'],
      ['[x](javascript:alert) [x](data:text/html,1)', '[x](javascript:alert) [x](data:text/html,1)'],
    ]);
  });

  it('has tables, with the alignment of their columns', () => {
    expectAll([
      [
        'a table:\n| what | how *much* |\n|---|--:|\n| a \\| b | 1 |\n| c | 2 | 3 |\n| d |\nafter\n| no | table |',
        'a table:<table left right>what|how <i>much</i>/a | b|1/c|2|3/d</table>after\n| no | table |',
      ],
      [
        'a | `b \\| c`\n--|:--:\n*d* | e\n> f | g',
        '<table left center>a|<code>b | c</code>/<i>d</i>|e</table><quote>f | g</quote>',
      ],
      ['a | b\n- | c', 'a | b<list><->| c</list>'],
    ]);
  });

  it('has nothing but code where there is room for a few lines only', () => {
    expect(parseText('# a\n- b\n```\nc\n```', true).blocks).to.deep.equal([
      { kind: 'lines', text: '# a\n- b' },
      { kind: 'code', text: 'c' },
      { kind: 'lines', text: '' },
    ]);
    expect(parseInline('[a](https://b.example) https://c.example #d', true)).to.deep.equal([
      { kind: 'text', text: 'a' },
      { kind: 'text', text: ' ' },
      { kind: 'text', text: 'https://c.example' },
      { kind: 'text', text: ' #d' },
    ]);
  });

  it('becomes a bounded number of elements, and is text as typed beyond that', () => {
    const full = (piece: string) => piece.repeat(Math.floor(15_000 / piece.length));
    const wide = `|${'a|'.repeat(2400)}\n|${'-|'.repeat(2400)}\n${'||\n'.repeat(1500)}`;
    const texts = ['|a|\n|-|\n\n', '- a\n  - b\n', '> a\n\n', '# a\n', '```a```\n', '**a** ', 'http://a '].map(full);
    for (const text of [...texts, wide]) {
      const { blocks, rest } = parseText(`| one |\n|---|\n| two |\n\nand *so* on\n${text}the end`);
      const printed = blocks.map((block) => printBlock(block)).join('');
      expect(printed, text.slice(0, 10)).to.match(/^<table left>one\/two<\/table>and <i>so<\/i> on/);
      expect(printed.split('<').length, text.slice(0, 10)).to.be.below(2000);
      expect(rest, text.slice(0, 10)).to.match(/the end$/);
    }
  });
});
