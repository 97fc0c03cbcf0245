// nodes: own

import { expect } from 'chai';
import type { CommandOption } from '../../src/web/app/state/commands.ts';
import { argumentsIn, isComplete, optionAt } from '../../src/web/app/views/talk/command-arguments.ts';
import { continued, type Format, formatted, type Typing } from '../../src/web/app/views/talk/formats.ts';
import { markdownOf } from '../../src/web/app/views/talk/paste.ts';

/** A text in which `[` and `]` stand for the ends of what is selected, and `¦` for the caret. */
function written(marked: string) {
  const text = marked.replace(/[[\]¦]/g, '');
  const caret = marked.indexOf('¦');
  if (caret >= 0) return { text, start: caret, end: caret };
  return { text, start: marked.indexOf('['), end: marked.indexOf(']') - 1 };
}

function after(marked: string, change: (one: ReturnType<typeof written>) => Typing): string {
  const before = written(marked);
  const { from, to, text, start, end } = change(before);
  const whole = before.text.slice(0, from) + text + before.text.slice(to);
  if (start === end) return `${whole.slice(0, start)}¦${whole.slice(start)}`;
  return `${whole.slice(0, start)}[${whole.slice(start, end)}]${whole.slice(end)}`;
}

const format = (marked: string, how: Format) => after(marked, (one) => formatted(one, how));

describe('formatting what is written', () => {
  it('puts signs around what is selected, and takes them away again', () => {
    const cases: [string, Format, string][] = [
      ['say [it] now', 'bold', 'say **[it]** now'],
      ['say **[it]** now', 'bold', 'say [it] now'],
      ['say [**it**] now', 'bold', 'say [it] now'],
      ['say [ it ]now', 'italic', 'say  *[it]* now'],
      ['**[it]**', 'italic', '***[it]***'],
      ['***[it]***', 'italic', '**[it]**'],
      ['***[it]***', 'bold', '*[it]*'],
      ['~~[it]~~', 'struck', '[it]'],
      ['[it]', 'code', '`[it]`'],
      ['[it]', 'spoiler', '||[it]||'],
      ['here ¦', 'bold', 'here **¦**'],
    ];
    for (const [before, how, wanted] of cases) expect(format(before, how), `${how}: ${before}`).to.equal(wanted);
  });

  it('works on whole lines where the format is of lines', () => {
    const cases: [string, Format, string][] = [
      ['o[ne\ntw]o', 'bullets', '[- one\n- two]'],
      ['- o[ne\n- tw]o', 'bullets', '[one\ntwo]'],
      ['- o[ne\n\n- tw]o', 'numbers', '[1. one\n\n2. two]'],
      ['one\ntw¦o', 'quote', 'one\n> two¦'],
      ['> tw¦o', 'quote', 'two¦'],
      ['a\n[b\nc]\nd', 'block', 'a\n```\n[b\nc]\n```\nd'],
    ];
    for (const [before, how, wanted] of cases) expect(format(before, how), `${how}: ${before}`).to.equal(wanted);
    const block = formatted({ text: '```\nb\n```', start: 0, end: 9 }, 'block');
    expect(block.text).to.equal('b');
  });

  it('makes links, of which what is missing is typed next', () => {
    const linked = (text: string, start: number, end: number) => {
      const { text: link, ...more } = formatted({ text, start, end }, 'link');
      return { link, selected: link.slice(more.start - more.from, more.end - more.from), at: more.start - more.from };
    };
    expect(linked('the docs', 4, 8)).to.deep.equal({ link: '[docs](https://)', selected: 'https://', at: 7 });
    expect(linked('https://a.example', 0, 17)).to.deep.equal({ link: '[](https://a.example)', selected: '', at: 1 });
  });

  it('goes on with lists and quotations, which an empty item ends', () => {
    const cases = [
      ['- one¦', '- one\n- ¦'],
      ['  9) nine¦', '  9) nine\n  10) ¦'],
      ['> said¦', '> said\n> ¦'],
      ['- one\n- ¦', '- one\n¦'],
    ];
    for (const [before = '', wanted] of cases) expect(after(before, continued), before).to.equal(wanted);
    const box = continued({ text: '- [x] done', start: 10, end: 10 });
    expect(box.text).to.equal('\n- [ ] ');
  });
});

describe('HTML that is pasted', () => {
  const cases: [string, string][] = [
    [
      '<meta charset="utf-8"><p>One <b>bold</b> and <i>slanted</i>.</p><p>Two</p>',
      'One **bold** and *slanted*.\n\nTwo',
    ],
    ['<b style="font-weight:normal"><p>plain</p></b>', 'plain'],
    ['<span style="font-weight:700">a</span><span style="font-style:italic"> b </span>c', '**a** *b* c'],
    ['<a href="https://a.example/x_(y)">there</a>', '[there](https://a.example/x_%28y%29)'],
    ['<a href="https://a.example/">https://a.example</a>', 'https://a.example/'],
    ['<a href="javascript:alert(1)">click</a>', 'click'],
    ['<ul><li>one<ul><li>deep</li></ul></li><li>two</li></ul>', '- one\n  - deep\n- two'],
    ['<ol start="3"><li><p>three</p></li><li>four</li></ol>', '3. three\n4. four'],
    ['<ul><li><input type="checkbox" checked> done</li></ul>', '- [x] done'],
    ['<h2>Head</h2><blockquote><p>said</p><p>more</p></blockquote>', '## Head\n\n> said\n>\n> more'],
    ['<pre><code class="language-js">let a = 1;\n\n  a++;\n</code></pre>', '```js\nlet a = 1;\n\n  a++;\n```'],
    ['use <code>a `b`</code><br>next', 'use `` a `b` ``\nnext'],
    [
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1|2</td><td>3</td></tr></table>',
      '| a | b |\n| --- | --- |\n| 1\\|2 | 3 |',
    ],
    ['<s>gone</s><script>alert(1)</script><style>p{}</style>', '~~gone~~'],
    ['<p>hi <img alt=":tada:"> <img alt="a picture"></p><button>Copy</button>', 'hi :tada:'],
    [
      '<p style="mso-list:l0 level1 lfo1"><span style="mso-list:Ignore">·</span>one</p>' +
        '<p style="mso-list:l0 level2 lfo1"><span style="mso-list:Ignore">1.</span>two</p>',
      '- one\n  1. two',
    ],
  ];

  it('becomes Markdown that says the same', () => {
    for (const [html, wanted] of cases) expect(markdownOf(html, 'plain'), html).to.equal(wanted);
  });

  it('stays the text that it comes with where it is lines of an editor, says nothing, or is too much', () => {
    const lines = '<meta><div style="font-family: Menlo, monospace"><div><b>const</b> a</div></div>';
    expect(markdownOf(lines, 'const a')).to.equal('const a');
    expect(markdownOf('<img src="x">', 'a picture')).to.equal('a picture');
    expect(markdownOf(`<b>${'x'.repeat(400_000)}</b>`, 'much')).to.equal('much');
    const deep = `${'<div>'.repeat(20_000)}<b>x</b>`;
    expect(markdownOf(deep, 'deep')).to.equal('deep');
  });
});

describe('what is typed behind a command', () => {
  const description = '';
  const text = { minLength: null, maxLength: null, completes: false };
  const options: CommandOption[] = [
    { type: 'text', name: 'city', description, required: true, ...text },
    { type: 'number', name: 'days', description, required: false, min: 1, max: 5, integer: true, completes: false },
    { type: 'choice', name: 'unit', description, required: false, choices: [{ value: 'f', label: 'Fahrenheit' }] },
    { type: 'user', name: 'whose', description, required: false },
  ];
  const read = (typed: string) => {
    const { values, left } = argumentsIn(options, typed);
    return { ...Object.fromEntries(values), left };
  };

  it('is for the options that it names, and else for the first text', () => {
    expect(read('Bergen')).to.deep.equal({ city: 'Bergen', left: '' });
    expect(read('days:3 New York unit:fahrenheit')).to.deep.equal({
      ...{ city: 'New York', days: '3', unit: 'f', left: '' },
    });
    expect(read('City:"New York" days:2')).to.deep.equal({ city: 'New York', days: '2', left: '' });
    expect(read('at 10:30, see https://a.example')).to.deep.equal({
      city: 'at 10:30, see https://a.example',
      left: '',
    });
    expect(read('city:Oslo days:1 more')).to.deep.equal({ city: 'Oslo', days: '1', left: 'more' });
    expect(read('unit:kelvin')).to.deep.equal({ city: 'unit:kelvin', left: '' });
  });

  it('runs the command where nothing is missing or left over', () => {
    const runs = (typed: string) => isComplete(options, argumentsIn(options, typed));
    expect(['Oslo', 'days:2 Oslo', '', 'days:2', 'city:Oslo days:1 more'].map(runs)).to.deep.equal([
      ...[true, true, false, false, false],
    ]);
    expect(isComplete([], argumentsIn([], ''))).to.equal(true);
  });

  it('says which option is typed', () => {
    const at = (typed: string) => optionAt(options, typed)?.name;
    expect(['', 'Ber', 'Bergen ', 'Bergen days:', 'Bergen days:3 unit:fa'].map(at)).to.deep.equal([
      ...['city', 'city', 'days', 'days', 'unit'],
    ]);
  });
});
