import { z } from 'zod';
import { presenceSettings } from './presence-settings.ts';

const positive = z.number().int().positive();

/** So many in so many seconds. */
const rate = z.strictObject({ points: positive, seconds: positive });

const tier = z.strictObject({
  id: z.string(),
  level: z.number().int(),
  label: z.string(),
  capabilities: z.array(z.string()),
});

/** What config/*.json may say: tuning that few ever touch. */
export const fileSchema = z.strictObject({
  accounts: z.strictObject({
    issuer: z.string().describe('`iss` of tokens; the same on all nodes'),
    accessTokenSeconds: positive.describe('how long an access token holds'),
    refreshTokenSeconds: positive.describe('how long a refresh token holds when it is not used'),
    refreshTokenAbsoluteSeconds: positive.describe('how long a sign-in lasts at most'),
    refreshGraceSeconds: positive.describe('a refresh token used again within this gets the same answer'),
    agentTokenSeconds: positive.describe('how long a token of a bot holds'),
    expiryWarningSeconds: positive.describe('how long before its token ends a socket is told'),
    emailCode: z.strictObject({
      seconds: positive.describe('how long a mailed code holds'),
      tries: positive.describe('wrong codes until it is used up'),
    }),
    passwordResetSeconds: positive.describe('how long a mailed link holds'),
    oauth: z.strictObject({
      stateSeconds: positive.describe('how long a sign-in at a provider may take'),
      timeoutMs: positive.describe('how long a provider may take to answer'),
      keysCooldownMs: positive.describe('between two looks at the keys of an issuer'),
    }),
    personalTokens: positive.describe('personal access tokens of one user'),
    password: z.strictObject({
      memoryKib: positive.describe('argon2id: memory'),
      timeCost: positive.describe('argon2id: rounds'),
      parallelism: positive.describe('argon2id: lanes'),
      concurrency: positive.describe('passwords hashed at once'),
      queue: positive.describe('those that may wait; more are answered 503'),
    }),
    tiers: z.array(tier).min(1).describe('what accounts can be: id, level, label, capabilities'),
    inviteTier: z.string().describe('the tier that an invite code gives'),
  }),
  agents: z.strictObject({
    tokenOverlapSeconds: positive.describe('how long the old tokens of a bot hold beside a new one'),
    heartbeatSeconds: positive.describe('how long a heartbeat holds'),
    maxPerOwner: positive.describe('bots of one user'),
    loopInRow: positive.describe('answers of bots to bots in a row, with no person between'),
    loopPerMinute: positive.describe('answers of bots to bots in a channel in a minute'),
    loopFollowSeconds: positive.describe('a bot that writes so soon after a bot answers it'),
    streamIdleSeconds: positive.describe('a reply in the making that is silent for so long ends'),
  }),
  servers: z.strictObject({
    maxPerOwner: positive.describe('servers that one user owns'),
    // So many their list shows.
    maxChannels: positive.max(1000).describe('channels of a server'),
  }),
  webhooks: z.strictObject({
    timeoutMs: positive.describe('how long a webhook may take to answer'),
    leaseSeconds: positive.describe(
      'after so long without a sign of the node that is at a webhook, another one goes on',
    ),
    pollMs: positive.describe('between two looks for what webhooks are due'),
    retryMs: positive.describe('the wait before the second try; each further one is twice as long'),
    retryMaxMs: positive.describe('the longest wait between two tries'),
    giveUpSeconds: positive.describe('after so long of failures a webhook is switched off'),
    secretOverlapSeconds: positive.describe('how long the old secret signs beside a new one'),
    concurrency: positive.describe('requests to webhooks at once, of a node'),
    perWebhook: positive.describe('requests to one webhook at once, of a node'),
  }),
  database: z.strictObject({
    poolSize: positive.describe(
      'connections of a node to PostgreSQL, half of them for transactions; the writer has 4 of its own',
    ),
    connectTimeoutMs: positive.describe('how long to wait for a connection'),
    startWaitMs: positive.describe('how long a start waits for a database that cannot be reached'),
    statementTimeoutMs: positive.describe('how long a statement may take'),
    idleTransactionMs: positive.describe(
      'how long PostgreSQL waits for a node in the middle of a transaction; one that is frozen or gone holds up for so long what concerns the same rooms. Changes wait two thirds of it for a lock before they begin anew, sends a twelfth, and then those to other rooms go first',
    ),
    slowStatementMs: z.number().int().min(0).describe('a statement that takes longer is logged; 0: none'),
  }),
  delivery: z.strictObject({
    batchSize: positive.describe('sends in one transaction'),
    queueLength: positive.describe('sends that may wait'),
    queueBytes: positive.describe('bytes that may wait'),
    sendTimeoutMs: positive.describe('how long a send may take'),
    gapWaitMs: positive.describe('how long to wait for an event that others overtook'),
    sweepMs: positive.describe('how often the log is asked for what was missed'),
    tailEvents: positive.describe('last events of a room that are kept in memory'),
    tailBytes: positive.describe('their bytes'),
    tailBytesPerNode: positive.describe('their bytes for all rooms'),
    idleStreamMs: positive.describe('after so long a room that nobody is in is let go of'),
    retentionDays: z.number().positive().describe('days that the logs keep events'),
    retentionEvents: positive.describe('events that the log of a room keeps'),
    recoverySeconds: positive.describe('how long a lost connection may be taken up by a stock client'),
    recoveryEvents: positive.describe('and how many events it may have missed'),
  }),
  sockets: z.strictObject({
    pingIntervalMs: positive.describe('how often sockets are asked whether they live'),
    pingTimeoutMs: positive.describe('how long they may take'),
    maxPayloadBytes: positive.describe('a packet of a client'),
    maxBufferedBytes: positive.describe('what may wait for a socket that reads slowly'),
    maxBufferedPackets: positive.describe('the same in packets'),
    followedDms: positive.describe('direct messages, the last used ones, that a socket is put into when it connects'),
  }),
  limits: z.strictObject({
    jsonBodyBytes: positive.describe('a JSON body'),
    uploadBytes: positive.describe('a file for a workspace or an app'),
    attachmentBytes: positive.describe('a file for a message'),
  }),
  presence: presenceSettings,
  mail: z.strictObject({
    queue: positive.describe('mails that may wait'),
    attempts: positive.describe('tries to send a mail'),
    retryMs: positive.describe('the wait before the second; each further one is twice as long'),
    timeoutMs: positive.describe('how long the mail server may take'),
  }),
  rates: z.strictObject({
    auth: rate.describe('register, login, codes and links, of one address; new passwords, of one user'),
    emailStart: rate.describe('mailed codes, of one address'),
    resetStart: rate.describe('mailed links, of one address'),
    mailbox: rate.describe('mails to one mailbox'),
    loginFailures: rate.describe('failed logins of one account'),
    refresh: rate.describe('refreshes, of one address'),
    oauth: rate.describe('sign-ins at providers, of one address'),
    redeem: rate.describe('invite codes, of one user'),
    messages: rate.describe('messages of one person'),
    botMessages: rate.describe('messages of one bot'),
    changes: rate.describe('whatever else one user changes over REST'),
    events: rate.describe('other events of one socket'),
    joins: rate.describe('joins and leaves of one socket'),
    deltas: rate.describe('pieces of a reply in the making'),
    uploads: rate.describe('uploads of one user'),
    search: rate.describe('searches of one user'),
    discover: rate.describe('looks at public servers, and at those that invite codes lead to, of one user or address'),
    modelProxy: rate.describe('calls of models by one token'),
    webhooks: rate.describe('new webhooks and trial deliveries of one user'),
  }),
  modelProxy: z.strictObject({
    tokenDays: positive.describe('how long a token of a runtime holds where whoever makes it says nothing'),
    tokensPerUser: positive.describe('tokens of runtimes of one user'),
    connectTimeoutMs: positive.describe('how long the upstream may take to connect'),
    answerTimeoutMs: positive.describe('how long the upstream may take to begin'),
    idleTimeoutMs: positive.describe('how long it may be silent'),
    maxAnswerBytes: positive.describe('an answer of the upstream'),
  }),
  workspace: z.strictObject({
    quotaBytes: positive.describe('files of a workspace'),
    // The ZIP format that the downloads have knows no more entries.
    maxNodes: positive.max(65_000).describe('folders and files of a workspace'),
    maxDepth: positive.max(100).describe('folders in one another'),
  }),
  apps: z.strictObject({
    maxPerServer: positive.describe('apps of a server'),
    bundle: z.strictObject({ entries: positive.describe('files of an app'), bytes: positive.describe('their bytes') }),
    proxy: z.strictObject({
      timeoutMs: positive.describe('how long the server of a URL app may take'),
      maxBytes: positive.describe('an answer of it'),
      concurrency: positive.describe('requests at once, of a node'),
    }),
  }),
  blobs: z.strictObject({ graceSeconds: positive.describe('how long a file that nothing refers to is kept') }),
  notifications: z.strictObject({ readDays: positive.describe('how long notifications are kept once they were read') }),
  shutdown: z.strictObject({
    graceMs: positive.describe('how long requests may go on when a node stops'),
    spreadMs: positive.describe('over how long the clients of a node that stops are sent elsewhere, at most'),
  }),
});

export type FileSettings = z.infer<typeof fileSchema>;
