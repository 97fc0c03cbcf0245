/** Posts as tools send them, in the shapes that their makers document. */

export const slackMessage = {
  username: 'deploy',
  icon_emoji: ':rocket:',
  text: 'Deployed <https://ci.example/1|build 1> of *main* &amp; more, ~not~ `a <b>`',
  attachments: [
    {
      fallback: 'short',
      color: 'good',
      pretext: 'Before',
      author_name: 'Ada',
      title: 'Report',
      title_link: 'https://ci.example/report',
      text: 'All *well*',
      fields: [{ title: 'Took', value: '3 min', short: true }],
      footer: 'CI',
      ts: 1735689600,
      sparkline: [1, 2],
    },
  ],
  priority: 'high',
};

export const slackBlocks = {
  text: 'what stands for the blocks',
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: 'Deploy *1*' } },
    {
      type: 'section',
      text: { type: 'mrkdwn', text: 'By <@U1> in <#C1|ops>, <!here>' },
      fields: [{ type: 'mrkdwn', text: '*Env*' }],
    },
    { type: 'divider' },
    {
      type: 'context',
      elements: [
        { type: 'image', image_url: 'https://x.example/a.png', alt_text: 'logo' },
        { type: 'mrkdwn', text: 'now' },
      ],
    },
    {
      type: 'actions',
      elements: [
        { type: 'button', text: { type: 'plain_text', text: 'Open' }, url: 'https://x.example/open', action_id: 'a' },
        { type: 'button', text: { type: 'plain_text', text: 'Approve' }, action_id: 'b', value: 'yes' },
      ],
    },
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: 'Hi ', style: { bold: true } },
            { type: 'user', user_id: 'U2' },
          ],
        },
        {
          type: 'rich_text_list',
          style: 'ordered',
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }],
        },
      ],
    },
    { type: 'hologram', depth: { metres: 3 }, notes: ['far', 'near'] },
  ],
};

export const discordMessage = {
  content: 'Hello <:wave:123456> at <t:1735689600:R>',
  username: 'Sentry',
  avatar_url: 'https://x.example/a.png',
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title: 'Crash',
      url: 'https://s.example/1',
      description: '**Something** broke',
      color: 16711680,
      timestamp: '2026-01-31T12:00:00.000Z',
      author: { name: 'api', url: 'https://s.example/api' },
      fields: [{ name: 'Level', value: 'fatal', inline: true }],
      image: { url: 'https://s.example/i.png' },
      footer: { text: 'v1' },
      mood: 'grim',
    },
  ],
};

const repository = {
  id: 1,
  full_name: 'octo/hello',
  html_url: 'https://github.com/octo/hello',
  url: 'https://api.github.com/repos/octo/hello',
};
const sender = { login: 'octocat', id: 2, avatar_url: 'https://x.example/o.png' };

export const githubPush = {
  ref: 'refs/heads/main',
  before: '1111111111111111111111111111111111111111',
  after: '2222222222222222222222222222222222222222',
  compare: 'https://github.com/octo/hello/compare/1...2',
  created: false,
  deleted: false,
  forced: true,
  base_ref: null,
  commits: [
    {
      id: '2222222222222222222222222222222222222222',
      message: 'Mend the roof\n\nIt leaked.',
      url: 'https://github.com/octo/hello/commit/2',
      author: { name: 'Octo Cat', email: 'o@example.com', username: 'octocat' },
      added: [],
      removed: [],
      modified: ['roof'],
    },
  ],
  head_commit: null,
  pusher: { name: 'octocat', email: 'o@example.com' },
  repository,
  sender,
};

export const githubIssue = {
  action: 'opened',
  issue: { number: 7, title: 'It [leaks]', html_url: 'https://github.com/octo/hello/issues/7', body: 'Look.\nWater!' },
  repository,
  sender,
};

/** An event that has no form of its own. */
export const githubMarvel = {
  action: 'happened',
  marvel: { name: 'rain of frogs', size: { frogs: 12 }, url: 'https://api.github.com/marvels/1' },
  repository,
  sender,
};

export const gitlabPipeline = {
  object_kind: 'pipeline',
  object_attributes: { id: 31, ref: 'master', status: 'failed', duration: 63 },
  user: { name: 'Root', username: 'root' },
  project: { path_with_namespace: 'org/app', web_url: 'https://gitlab.example/org/app' },
  commit: { title: 'Try it', url: 'https://gitlab.example/org/app/-/commit/1', author: { name: 'Ada' } },
  builds: [
    { stage: 'test', name: 'unit', status: 'failed' },
    { stage: 'build', name: 'image', status: 'success' },
  ],
};

export const gitlabNote = {
  object_kind: 'note',
  event_type: 'note',
  user: { name: 'Ada' },
  project: { path_with_namespace: 'org/app' },
  object_attributes: { note: 'Nice', noteable_type: 'MergeRequest', url: 'https://gitlab.example/mr/1#note_1' },
  merge_request: { iid: 1, title: 'Roof' },
};

export const alertmanagerAlert = {
  version: '4',
  groupKey: '{}:{alertname="Down"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'team',
  groupLabels: { alertname: 'Down' },
  commonLabels: { alertname: 'Down', severity: 'page' },
  commonAnnotations: {},
  externalURL: 'http://alerts.example:9093',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'Down', instance: 'db:9100' },
      annotations: { summary: 'db is down', description: 'For 5 minutes.' },
      startsAt: '2026-01-31T12:00:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prom.example/graph',
      fingerprint: 'abc',
    },
  ],
};

export const grafanaAlert = {
  ...alertmanagerAlert,
  orgId: 1,
  title: '[FIRING:1] Down',
  state: 'alerting',
  message: '**Firing**\n\nValue: B=22',
  alerts: [
    {
      ...alertmanagerAlert.alerts[0],
      values: { B: 22 },
      valueString: '[ var=B value=22 ]',
      silenceURL: 'https://grafana.example/silence',
      dashboardURL: 'https://grafana.example/d/1',
    },
  ],
};
