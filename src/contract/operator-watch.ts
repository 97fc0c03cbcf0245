import { z } from 'zod';
import { smallUserSchema } from './account.ts';
import { calls } from './call.ts';
import { idSchema, limitSchema, numberSchema, record, timeSchema } from './schema.ts';

const errors = ['FORBIDDEN', 'INSUFFICIENT_PAT_SCOPE'] as const;
/** Numbers of the installation, about nobody in particular: any session of an operator reads them. */
const watched = { method: 'GET', repeats: 'never', errors } as const;
/** What names people, or how this installation is set up, takes a confirmed session. */
const confirmed = { ...watched, confirmed: true, errors: [...errors, 'CONFIRMATION_REQUIRED'] } as const;

const whole = z.number().int();

/** Nothing large is counted for a page: beyond a bound there are estimates. */
const roughCountSchema = record('RoughCount', {
  count: whole,
  isAbout: z.boolean().describe('It is an estimate.'),
});

const overviewSchema = record('InstallationOverview', {
  version: z.string(),
  people: roughCountSchema.describe('Bots are among them.'),
  servers: roughCountSchema,
  messages: roughCountSchema,
  openReports: roughCountSchema.describe('Those for operators.'),
  deadJobs: roughCountSchema,
  nodes: whole.describe('Those that announced themselves lately.'),
  databaseBytes: whole,
  tiers: z.array(z.object({ id: z.string(), label: z.string() })).describe('Those of the settings.'),
});

const vitalsSchema = record('Vitals', {
  at: whole.describe('In ms since 1970, by the clock of the node.'),
  sockets: z.number(),
  messagesPerSecond: z.number(),
  requestsPerSecond: z.number(),
  requestP95Ms: z
    .number()
    .describe('95 of 100 requests were answered faster; those that wait for events do not count.'),
  errorsPerMinute: z.number().describe('Requests and sends that failed by a fault of the server.'),
  eventLoopMs: z.number().describe('99 of 100 turns of the event loop came less late than that.'),
  lagEvents: z.number().describe('Events that were committed and not emitted when the log was last read.'),
  memoryBytes: z.number(),
  cpuPercent: z.number().describe('Of one processor.'),
});

const nodeSchema = record('ClusterNode', {
  id: z.string(),
  host: z.string().describe('The name of its machine.'),
  pid: whole,
  version: z.string(),
  startedAt: timeSchema,
  seenAt: timeSchema.describe('When it last announced itself; each does every 10 seconds.'),
  isSilent: z.boolean().describe('It has not for half a minute. Those that ended in order are not listed.'),
  isHere: z.boolean().describe('It answers this call.'),
  vitals: vitalsSchema.nullable().describe('As it last announced them; null: it has just started.'),
});

const listMetricsSchema = z.object({
  after: numberSchema(whole.min(0)).default(0).describe('Only what was measured after that: the greatest `at` so far.'),
});

const metricsSchema = z.object({
  nodes: z.array(z.object({ id: z.string(), host: z.string(), points: z.array(vitalsSchema) })),
});

export const listOperatedServersSchema = z.object({
  search: z.string().max(100).default('').describe('A part of a name or short name.'),
  limit: limitSchema(50, 20),
  cursor: z.string().optional().describe('`id` of the last server of the page before.'),
});

const operatedServerSchema = record('OperatedServer', {
  id: idSchema,
  name: z.string(),
  slug: z.string().nullable(),
  isPublic: z.boolean(),
  owner: smallUserSchema,
  members: whole,
  messages: roughCountSchema,
  filesBytes: whole.describe('Of its workspace.'),
  attachments: z
    .object({ bytes: whole, isAbout: z.boolean() })
    .describe('Files of its messages; of many they are estimated by the newest.'),
  createdAt: timeSchema,
});

/** What takes room. Later versions have more. */
export const storageKinds = ['attachments', 'workspaces', 'versions', 'apps', 'pictures', 'exports'] as const;
export const storageParts = ['messages', 'search', 'events', 'files', 'other'] as const;

const storageSchema = record('InstallationStorage', {
  databaseBytes: whole,
  parts: z
    .array(z.object({ part: z.enum(storageParts), bytes: whole }))
    .describe('What the database is made of, with indexes; `files` are the contents of all files, each once.'),
  files: z
    .array(z.object({ kind: z.enum(storageKinds), count: whole, bytes: whole, isAbout: z.boolean() }))
    .describe('What people have stored, by what it is for; a content that several have counts for each.'),
});

const settingSchema = record('SettingInForce', {
  name: z.string().describe('A variable of the environment, or the path of a setting in `config/`.'),
  source: z.enum(['default', 'file', 'environment', 'program']).describe('`program`: it was started by other code.'),
  file: z.string().nullable().describe('The file that it is from, or whose value is replaced.'),
  value: z.string().nullable().describe('Null: it is not set, or a secret.'),
  isSecret: z.boolean().describe('Its value is never shown.'),
  isSet: z.boolean(),
  about: z.string(),
});

/** What operators see of the installation (contract §3). */
export const operatorWatchCalls = calls('Operators', {
  getInstallation: {
    ...watched,
    path: '/api/operator/overview',
    summary: 'The installation in a few numbers.',
    answer: overviewSchema,
  },
  listNodes: {
    ...watched,
    path: '/api/operator/nodes',
    summary: 'The nodes, with their load as they last announced it; the newest first.',
    answer: z.array(nodeSchema),
  },
  getMetrics: {
    ...watched,
    path: '/api/operator/metrics',
    summary: 'What each node measured of itself in the last 15 minutes, a point every 5 seconds.',
    query: listMetricsSchema,
    answer: metricsSchema,
  },
  getStorageInUse: {
    ...watched,
    path: '/api/operator/storage',
    summary: 'What takes room.',
    answer: storageSchema,
  },
  listOperatedServers: {
    ...confirmed,
    path: '/api/operator/servers',
    summary: 'The newest servers, or those whose name contains a text. X-Has-More says whether there are more.',
    query: listOperatedServersSchema,
    paged: true,
    answer: z.array(operatedServerSchema),
    errors: [...confirmed.errors, 'INVALID_CURSOR'],
  },
  listSettings: {
    ...confirmed,
    path: '/api/operator/settings',
    summary: 'The settings in force on the node that answers, and where each comes from.',
    answer: z.array(settingSchema),
  },
});
