// nodes: own

import { expect } from 'chai';
import { formatOf } from '../../src/features/hooks/formats/formats.ts';
import { piecesOf } from '../../src/features/hooks/hook.pieces.ts';
import {
  alertmanagerAlert,
  discordMessage,
  githubIssue,
  githubMarvel,
  githubPush,
  gitlabNote,
  gitlabPipeline,
  grafanaAlert,
  slackBlocks,
  slackMessage,
} from './samples.ts';

/** What a post comes to, and by which format. */
function told(body: Record<string, unknown>, headers: Record<string, string> = {}) {
  const delivery = { headers, body };
  const format = formatOf(delivery, 'auto');
  return { format: format.name, ...format.read(delivery) };
}

describe('the text of a post to an incoming webhook', () => {
  it('is what Slack shows of text and attachments, and what it does not know beside it', () => {
    const { format, text, metadata } = told(slackMessage);
    expect(format).to.equal('slack');
    expect(text.split('\n')).to.deep.equal([
      '**deploy**',
      'Deployed [build 1](https://ci.example/1) of **main** & more, ~~not~~ `a <b>`',
      'Before',
      '> Ada',
      '> **[Report](https://ci.example/report)**',
      '> All **well**',
      '> **Took**',
      '> 3 min',
      '> CI · 2025-01-01T00:00:00.000Z',
      '> sparkline:',
      '>   - 1',
      '>   - 2',
      'priority: high',
    ]);
    expect(metadata).to.deep.equal({ webhook: { icon_emoji: ':rocket:' } });
  });

  it('is what Slack shows of blocks, with all that unknown ones say', () => {
    const { text, metadata } = told(slackBlocks);
    expect(text.split('\n')).to.deep.equal([
      '**Deploy *1***',
      'By @U1 in #ops, @here',
      '**Env**',
      '———',
      '[logo](https://x.example/a.png) · now',
      '[Open](https://x.example/open) · Approve',
      '**Hi** @U2',
      '1. one',
      'type: hologram',
      'depth:',
      '  metres: 3',
      'notes:',
      '  - far',
      '  - near',
    ]);
    expect(metadata).to.deep.equal({ webhook: { text: slackBlocks.text } });
  });

  it('is what Discord shows of content and embeds', () => {
    const { format, text, metadata } = told(discordMessage);
    expect(format).to.equal('discord');
    expect(text.split('\n')).to.deep.equal([
      '**Sentry**',
      'Hello :wave: at 2025-01-01T00:00:00.000Z',
      '> [api](https://s.example/api)',
      '> **[Crash](https://s.example/1)**',
      '> **Something** broke',
      '> **Level**',
      '> fatal',
      '> [Image](https://s.example/i.png)',
      '> v1 · 2026-01-31T12:00:00.000Z',
      '> mood: grim',
    ]);
    expect(metadata).to.deep.equal({ webhook: { avatar_url: 'https://x.example/a.png' } });
  });

  it('is a sentence of what happened at GitHub', () => {
    const { format, text } = told(githubPush, { 'x-github-event': 'push' });
    expect(format).to.equal('github');
    expect(text.split('\n')).to.deep.equal([
      '**octocat** pushed to main of octo/hello: [1111111 → 2222222](https://github.com/octo/hello/compare/1...2)',
      'It was forced.',
      '[`2222222`](https://github.com/octo/hello/commit/2) Mend the roof — Octo Cat',
    ]);
    expect(told(githubIssue, { 'x-github-event': 'issues' }).text.split('\n')).to.deep.equal([
      '**octocat** opened issue [#7 It (leaks)](https://github.com/octo/hello/issues/7) in octo/hello',
      '> Look.',
      '> Water!',
    ]);
  });

  it('is the same sentence of what happened at Gitea', () => {
    const { compare, ...rest } = githubPush;
    const { text } = told({ ...rest, compare_url: compare }, { 'x-github-event': 'push' });
    expect(text).to.equal(told(githubPush, { 'x-github-event': 'push' }).text);
  });

  it('has the fields of an event of which no sentence can be made', () => {
    const { commits } = githubPush;
    const { text } = told({ ref: 'refs/heads/main', commits }, { 'x-github-event': 'push' });
    expect(text.split('\n')).to.deep.equal([
      '[`2222222`](https://github.com/octo/hello/commit/2) Mend the roof — Octo Cat',
      'ref: refs/heads/main',
    ]);
  });

  it('is all that an unknown event says, without addresses of the API', () => {
    expect(told(githubMarvel, { 'x-github-event': 'marvel' }).text.split('\n')).to.deep.equal([
      '**GitHub: marvel**',
      'action: happened',
      'marvel:',
      '  name: rain of frogs',
      '  size:',
      '    frogs: 12',
    ]);
  });

  it('has the fields that an event of a known kind has beside those that are told', () => {
    const { text } = told({ ...githubIssue, weather: { sky: 'grey' } }, { 'x-github-event': 'issues' });
    expect(text).to.match(/\nweather:\n {2}sky: grey$/);
  });

  it('is a sentence of what happened at GitLab', () => {
    const { format, text } = told(gitlabPipeline, { 'x-gitlab-event': 'Pipeline Hook' });
    expect(format).to.equal('gitlab');
    expect(text.split('\n')).to.deep.equal([
      '❌ Pipeline [#31](https://gitlab.example/org/app/-/pipelines/31) of master in org/app: failed',
      '[Try it](https://gitlab.example/org/app/-/commit/1) — Ada',
      '❌ test: unit (failed)',
      '✅ build: image (success)',
    ]);
    expect(told(gitlabNote, { 'x-gitlab-event': 'Note Hook' }).text.split('\n')).to.deep.equal([
      '**Ada** commented on [!1 Roof](https://gitlab.example/mr/1#note_1) in org/app',
      '> Nice',
    ]);
  });

  it('lists the alerts of Alertmanager and Grafana', () => {
    const { format, text } = told(alertmanagerAlert);
    expect(format).to.equal('alertmanager');
    expect(text.split('\n')).to.deep.equal([
      '🔥 **FIRING** (1) team',
      '`alertname=Down`',
      'http://alerts.example:9093',
      '🔥 **Down**: firing',
      '> db is down',
      '> For 5 minutes.',
      '> `alertname=Down` `instance=db:9100`',
      '> since 2026-01-31T12:00:00Z',
      '> [Source](http://prom.example/graph)',
    ]);
    const grafana = told(grafanaAlert);
    expect(grafana.format).to.equal('grafana');
    expect(grafana.text).to.match(/^🔥 \*\*\[FIRING:1\] Down\*\*\n> \*\*Firing\*\*/);
    expect(grafana.text).to.contain('> [Silence](https://grafana.example/silence)');
    expect(told({ ...alertmanagerAlert, truncatedAlerts: 3 }).text).to.match(/\ntruncatedAlerts: 3$/);
  });

  it('is a JSON object of no known form as it is', () => {
    expect(told({ build: { number: 3, ok: true }, tags: ['a', 'b'] }).text.split('\n')).to.deep.equal([
      'build:',
      '  number: 3',
      '  ok: true',
      'tags:',
      '  - a',
      '  - b',
    ]);
  });

  it('never fails over values of other types than are documented', () => {
    const odd: unknown[] = [null, 7, true, 'text', [], [[1]], {}, { a: { b: null } }];
    const fields = [
      'text',
      'blocks',
      'attachments',
      'content',
      'embeds',
      'components',
      'username',
      'alerts',
      'commits',
      'object_attributes',
    ];
    const events: Record<string, string>[] = [{}, { 'x-github-event': 'push' }, { 'x-gitlab-event': 'Note Hook' }];
    for (const headers of events) {
      for (const field of fields) {
        for (const value of odd) expect(told({ [field]: value, embeds: value, x: 1 }, headers).text).to.be.a('string');
      }
    }
  });

  it('shows values whose fields have the names of what JavaScript makes texts with', () => {
    const odd = { toString: 1, valueOf: 'x' };
    const shown = 'toString: 1, valueOf: x';
    expect(told({ ...alertmanagerAlert, status: odd, groupLabels: { odd } }).text).to.contain(`\`odd=${shown}\``);
    expect(told({ ...githubPush, ref: odd }, { 'x-github-event': 'push' }).text).to.contain(` pushed to ${shown} of `);
    expect(told({ attachments: [{ text: 'a', ts: odd }] }).text).to.equal('> a');
  });

  it('is made in proportion to what comes, whatever runs of blanks are in it', () => {
    const blanks = ' '.repeat(300_000);
    const element = { type: 'text', text: `${blanks}a${blanks}b${blanks}`, style: { bold: true } };
    const section = { type: 'rich_text_section', elements: [element] };
    const row = told({ blocks: [{ type: 'rich_text', elements: [section] }] });
    expect(row.text).to.equal(`${blanks}**a${blanks}b**${blanks}`);
    expect(told({ text: `<https://x.example|a${blanks}b>` }).text).to.equal('[a b](https://x.example)');
  });

  it('is made in proportion to what comes, however many lines are how deep in it', () => {
    const many = 200_000;
    let deep: unknown = 'x\n'.repeat(many);
    for (let depth = 0; depth < 90; depth++) deep = { a: deep };
    for (const body of [{ deep }, { content: 'c', deep }, { embeds: [{ deep }] }, { attachments: [{ deep }] }]) {
      const { text } = told(body);
      expect(text.split('\n').filter((line) => line.endsWith('x'))).to.have.lengthOf(many);
      expect(text.length).to.be.lessThan(50 * many);
    }
    let components: unknown = [{ label: 'Go', url: 'https://x.example/go' }];
    for (let depth = 0; depth < 40; depth++) components = [{ content: 'c', components }];
    expect(told({ content: 'text', components }).text).to.equal(
      `text\nc\n${'c · '.repeat(39)}[Go](https://x.example/go)`,
    );
  });

  it('takes names that objects have by themselves for what they are: unknown', () => {
    for (const type of ['constructor', '__proto__', 'toString']) {
      const blocks = [
        { type, said: 'words' },
        { type: 'rich_text', elements: [{ type, said: 'words' }] },
      ];
      expect(told({ blocks }).text).to.match(/said: words[\s\S]*said: words/);
      expect(told({ said: 'words' }, { 'x-github-event': type }).text).to.contain('said: words');
      expect(told({ object_kind: type, said: 'words' }, { 'x-gitlab-event': 'x' }).text).to.contain('said: words');
      expect(told({ ...alertmanagerAlert, status: type }).text).to.contain('•');
    }
  });

  it('is cut between lines into messages that each fit', () => {
    const line = `${'x'.repeat(99)}\n`;
    const pieces = piecesOf(line.repeat(400));
    expect(pieces.map(({ length }) => length <= 16_000)).to.deep.equal([true, true, true]);
    expect(pieces.join('\n')).to.equal(line.repeat(400).trim());
    const cut = piecesOf('y'.repeat(200_000));
    expect(cut).to.have.lengthOf(8);
    expect(cut.at(-1)).to.match(/… and \d+ characters more$/);
    expect(piecesOf('😀'.repeat(8001)).every((piece) => piece.isWellFormed())).to.equal(true);
  });
});
