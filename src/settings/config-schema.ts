import { z } from 'zod';
import { mailSettings } from './mail-settings.ts';
import { pictureSettings, previewSettings } from './media-settings.ts';
import { milliseconds, mostFileVersions, positive } from './numbers.ts';
import { presenceSettings } from './presence-settings.ts';
import { pushFileSettings } from './push-settings.ts';
import { s3FileSettings } from './s3-settings.ts';

/** A missing ping or answer reveals a dead connection: within ten minutes at most. */
const longestPingMs = 300_000;

const pingMilliseconds = positive.max(longestPingMs, {
  error: `must be at most ${longestPingMs}, which is 5 minutes`,
});

/** `points` in `seconds`. */
const rate = z.strictObject({ points: positive, seconds: positive });

const tier = z.strictObject({
  id: z.string(),
  level: z.number().int(),
  label: z.string(),
  capabilities: z.array(z.string()),
});

/** The schema of config/*.json: tuning that few operators touch. */
export const fileSchema = z.strictObject({
  accounts: z.strictObject({
    issuer: z.string().describe('`iss` of tokens; the same on all nodes'),
    accessTokenSeconds: positive.describe('how long an access token is valid'),
    refreshTokenSeconds: positive.describe('how long an unused refresh token is valid'),
    refreshTokenAbsoluteSeconds: positive.describe('how long a sign-in lasts at most'),
    refreshGraceSeconds: positive.describe('a refresh token used again within this time gets the same response'),
    agentTokenSeconds: positive.describe('how long a bot token is valid'),
    expiryWarningSeconds: positive.describe('how long before its token expires a socket is warned'),
    emailCode: z.strictObject({
      seconds: positive.describe('how long a mailed code is valid'),
      tries: positive.describe('wrong attempts until a code is used up'),
    }),
    passwordResetSeconds: positive.describe('how long a mailed link is valid'),
    emailVerificationSeconds: positive.describe('how long the link and the code that prove an address are valid'),
    emailChangeUndoSeconds: positive.describe('how long the old address may undo a change of address'),
    exportSeconds: positive.describe('how long the export of an account is kept'),
    deviceTokenSeconds: positive.describe(
      'how long a device that has signed in is known: strangers cannot use up its tries',
    ),
    usernameChanges: z.strictObject({
      most: positive.describe('how often a person may take a new username within `seconds`'),
      seconds: positive.describe('the time of `most`, and for how long a former username is kept for its owner'),
    }),
    confirmationSeconds: positive.describe(
      'how long after a sign-in, password or code a session may do what is dangerous',
    ),
    requireVerifiedEmail: z
      .boolean()
      .describe('whether only those whose address is proven may sign in; others get 403 `EMAIL_NOT_VERIFIED`'),
    banAddresses: z
      .boolean()
      .describe(
        'whether a ban from the installation also keeps out new accounts from the addresses at which the banned was last signed in, kept as keyed hashes',
      ),
    reportDays: positive.describe('days for which what was reported is kept after the decision'),
    secondFactor: z.strictObject({
      required: z
        .boolean()
        .describe(
          'whether everyone must have a second factor; until then people can only set one up (403 `SECOND_FACTOR_SETUP_REQUIRED`)',
        ),
      seconds: positive.describe('how long a sign-in waits for its second factor, and a browser for a passkey'),
      tries: positive.describe('wrong second factors until a sign-in has to begin again'),
      passkeys: positive.max(100).describe('passkeys of one account'),
    }),
    oauth: z.strictObject({
      stateSeconds: positive.describe('how long a sign-in with a provider may take'),
      timeoutMs: milliseconds.describe('how long a provider may take to answer'),
      keysCooldownMs: milliseconds.describe('minimum time between two fetches of an issuer’s keys'),
    }),
    personalTokens: positive.describe('personal access tokens of one user'),
    apps: z.strictObject({
      selfRegistration: z.boolean().describe('whether apps may register themselves (RFC 7591), as clients of MCP do'),
      unused: positive.describe('apps that registered themselves and that nobody has allowed yet'),
      ofOwner: positive.describe('apps that one person may register'),
      ofUser: positive.describe('permissions that one person may give one app; a new one ends the oldest'),
      accessTokenSeconds: positive.describe('how long an access token of an app is good for'),
      codeSeconds: positive.describe('how long an app has to exchange a code'),
      deviceSeconds: positive.describe('how long a device waits for its user'),
    }),
    password: z.strictObject({
      memoryKib: positive.describe('argon2id: memory'),
      timeCost: positive.describe('argon2id: rounds'),
      parallelism: positive.describe('argon2id: lanes'),
      concurrency: positive.describe('passwords hashed at once'),
      queue: positive.describe('passwords that may wait for hashing; beyond that 503'),
    }),
    tiers: z.array(tier).min(1).describe('the tiers of accounts: id, level, label, capabilities'),
    inviteTier: z.string().describe('the tier that an invite code gives'),
  }),
  agents: z.strictObject({
    tokenOverlapSeconds: positive.describe('how long old tokens of a bot stay valid after a new one'),
    heartbeatSeconds: positive.describe('how long a heartbeat keeps a bot online'),
    maxPerOwner: positive.describe('bots of one user'),
    loopInRow: positive.describe('answers of bots to bots in a row, with no person between'),
    loopPerMinute: positive.describe('answers of bots to bots in a channel in a minute'),
    loopFollowSeconds: positive.describe('a bot that writes this soon after another bot counts as answering it'),
    streamIdleSeconds: positive.describe('a streamed reply without a piece for this long is aborted'),
  }),
  servers: z.strictObject({
    maxPerOwner: positive.describe('servers that one user owns'),
    // Their list shows this many.
    maxChannels: positive.max(1000).describe('channels of a server'),
    renewInviteOnRemoval: z.boolean().describe('whether a kick or ban of a person renews the invite code'),
  }),
  webhooks: z.strictObject({
    timeoutMs: milliseconds.describe('how long a webhook may take to answer'),
    leaseSeconds: positive.describe('how long a node holds a webhook without renewing; then another takes over'),
    pollMs: milliseconds.describe('how often a node polls for due webhooks'),
    retryMs: milliseconds.describe('the wait before the first retry; doubled for each further one'),
    retryMaxMs: milliseconds.describe('the longest wait between two retries'),
    giveUpSeconds: positive.describe('a webhook that fails for this long is switched off'),
    secretOverlapSeconds: positive.describe('how long the old secret still signs beside a new one'),
    concurrency: positive.describe('concurrent requests of a node to webhooks'),
    perWebhook: positive.describe('concurrent requests of a node to one webhook'),
  }),
  database: z.strictObject({
    poolSize: positive.describe(
      'connections of a node to PostgreSQL, half of them for transactions; the writer has 4 of its own',
    ),
    connectTimeoutMs: milliseconds.describe(
      'how long to wait for a connection; then 503, `SERVER_BUSY` if all were in use while PostgreSQL answered',
    ),
    startWaitMs: milliseconds.describe('how long the start waits for an unreachable database'),
    statementTimeoutMs: milliseconds.describe('how long a statement may take'),
    idleTransactionMs: milliseconds.describe(
      'how long a transaction may idle before PostgreSQL ends it; a frozen or dead node blocks its rooms for this long. Changes wait two thirds of it for a lock before they start over, sends a twelfth, after which sends to other rooms go first',
    ),
    slowStatementMs: z.number().int().min(0).describe('slower statements are logged; 0: none'),
  }),
  delivery: z.strictObject({
    batchSize: positive.describe('most sends in one transaction'),
    queueLength: positive.describe('sends that may wait'),
    queueBytes: positive.describe('bytes that may wait'),
    sendTimeoutMs: milliseconds.describe('how long a send may take'),
    gapWaitMs: milliseconds.describe('how long to wait for an event that was overtaken by later ones'),
    sweepMs: milliseconds.describe('how often the log is checked for missed events'),
    tailEvents: positive.describe('latest events of a room kept in memory'),
    tailBytes: positive.describe('their bytes'),
    tailBytesPerNode: positive.describe('their bytes for all rooms'),
    idleStreamMs: milliseconds.describe('after this time a room that nobody is in is closed on the node'),
    retentionDays: z.number().positive().describe('days that the logs keep events'),
    retentionEvents: positive.describe('events that the log of a room keeps'),
    recoverySeconds: positive.describe('how long a stock client can recover a lost connection'),
    recoveryEvents: positive.describe('and how many events it may have missed'),
  }),
  sockets: z.strictObject({
    pingIntervalMs: pingMilliseconds.describe('how often sockets are pinged; up to 5 minutes'),
    pingTimeoutMs: pingMilliseconds.describe('how long they may take to answer; up to 5 minutes'),
    maxPayloadBytes: positive.describe('largest packet from a client'),
    maxBufferedBytes: positive.describe('what may be buffered for a slow socket'),
    maxBufferedPackets: positive.describe('the same in packets'),
    writesAtOnce: positive.describe(
      'to how many sockets the events of rooms are written before everything else has its turn again',
    ),
    followedDms: positive.describe('most recently used DMs that a socket joins when it connects'),
  }),
  limits: z.strictObject({
    jsonBodyBytes: positive.describe('a JSON body'),
    uploadBytes: positive.describe('a file for a workspace or an app'),
    attachmentBytes: positive.describe('a file for a message'),
    pictureBytes: positive.describe('a picture of a person, bot or server, and one at an outside address'),
    bodySeconds: positive.describe('how long the body of a request may take to arrive, if it is no upload'),
    uploadIdleSeconds: positive.describe('how long no byte of an upload may arrive'),
    connectionsPerAddress: positive.describe(
      'connections of one address to a node; behind `TRUST_PROXY` requests under way and WebSockets. `RATE_LIMITS=off` turns it off',
    ),
    socketsPerUser: positive.describe(
      'sockets of one person or bot on a node; more are refused. `RATE_LIMITS=off` turns it off',
    ),
    socketsPerAddress: positive.describe('sockets of one address on a node that somebody is signed in on'),
    savedItems: positive.describe('messages and reminders that one person has saved for later'),
    scheduledMessages: positive.describe('scheduled messages of one person or bot'),
    drafts: positive.describe('drafts of one person'),
    receiptPeople: positive.describe('people in a private channel, at most, for read receipts there'),
    ipv6SiteFactor: positive.describe(
      'how many times what is allowed to an address all addresses of an IPv6 /48 may do together',
    ),
  }),
  presence: presenceSettings,
  mail: mailSettings,
  rates: z.strictObject({
    auth: rate.describe('register, login, codes and links, of one address; new passwords, of one user'),
    emailStart: rate.describe('mailed codes, of one address'),
    resetStart: rate.describe('mailed links, of one address'),
    mailbox: rate.describe('mails to one mailbox that one address or known device asks for'),
    mailboxTotal: rate.describe('mails to one mailbox that all addresses together ask for; as many for known devices'),
    loginFailures: rate.describe('wrong passwords of one account from one address, known device or session'),
    accountFailures: rate.describe('wrong passwords of one account from everywhere; as many for known devices'),
    factorFailures: rate.describe('wrong codes of an authenticator app, and recovery codes, of one account'),
    refresh: rate.describe('refreshes, of one address'),
    oauth: rate.describe('sign-ins at providers, of one address; what one user allows apps'),
    oauthClients: rate.describe('calls for tokens by apps without a secret, or with a wrong one, of one address'),
    oauthSecrets: rate.describe('the same by one app with a secret'),
    oauthRegistrations: rate.describe('apps that register themselves, of one address'),
    redeem: rate.describe('invite codes, of one user'),
    messages: rate.describe('messages of one person'),
    botMessages: rate.describe('messages of one bot'),
    changes: rate.describe('whatever else one user changes over REST'),
    events: rate.describe('other events of one person or bot, on all sockets'),
    joins: rate.describe('joins and leaves of one person or bot'),
    deltas: rate.describe('pieces of streamed replies of one bot'),
    uploads: rate.describe('uploads of one user'),
    pictures: rate.describe('pictures uploaded by one user'),
    pictureFetches: rate.describe(
      'pictures fetched from outside addresses, and not known yet, for one address; on each node',
    ),
    linkPages: rate.describe('pages that are fetched for link previews in messages of one author'),
    search: rate.describe('searches of one user'),
    auditExport: rate.describe('exports of audit logs by one user'),
    discover: rate.describe('look-ups of public servers and of invite codes, of one user or address'),
    reports: rate.describe('reports of one person or bot'),
    modelProxy: rate.describe('calls of models by one person, with all tokens'),
    webhooks: rate.describe('new webhooks and subscriptions to pushes, and trial deliveries, of one user'),
    hookPosts: rate.describe('posts to incoming webhooks, of one address'),
    hookMessages: rate.describe('messages by one incoming webhook'),
    requests: rate.describe('all requests of one user from one address; on each node'),
    openRequests: rate.describe(
      'all requests of one address that nobody has signed in for, but those to apps; on each node',
    ),
    openChanges: rate.describe('of these, whatever changes something and has no limit of its own'),
    appRequests: rate.describe('requests of one address to pages and servers of apps; on each node'),
    badTokens: rate.describe('refused tokens of one address, over REST and sockets; on each node'),
  }),
  modelProxy: z.strictObject({
    tokenDays: positive.describe('default validity of a runtime’s token'),
    tokensPerUser: positive.describe('runtime tokens of one user'),
    connectTimeoutMs: milliseconds.describe('how long the upstream may take to connect'),
    answerTimeoutMs: milliseconds.describe('how long the upstream may take to start responding'),
    idleTimeoutMs: milliseconds.describe('how long it may be silent'),
    maxAnswerBytes: positive.describe('largest response of the upstream'),
  }),
  workspace: z.strictObject({
    quotaBytes: positive.describe('files of a workspace'),
    // A ZIP file lists all of them at once.
    maxNodes: positive.max(65_000).describe('folders and files of a workspace'),
    maxDepth: positive.max(100).describe('depth of nested folders'),
    versions: z.number().int().min(0).max(mostFileVersions).describe('older versions that are kept of a file; 0: none'),
    versionDays: positive.describe('days that they are kept'),
    downloads: positive.describe('ZIP files that a node sends at once'),
    downloadsPerUser: positive.describe('of these to one user'),
  }),
  apps: z.strictObject({
    maxPerServer: positive.describe('apps of a server'),
    quotaBytes: positive.describe('files of all apps of a server'),
    bundle: z.strictObject({ entries: positive.describe('files of an app'), bytes: positive.describe('their bytes') }),
    proxy: z.strictObject({
      timeoutMs: milliseconds.describe(
        'how long the server of a URL app may take to respond, and be silent after that',
      ),
      socketIdleMs: milliseconds.describe('how long a WebSocket to it may be silent'),
      maxBytes: positive.describe('largest response of it'),
      concurrency: positive.describe('concurrent requests of a node, WebSockets included'),
      perApp: positive.describe('of these, to one app'),
      perAddress: positive.describe('of these, from one address'),
    }),
  }),
  storage: z.strictObject({
    bytes: positive.describe('all files of an account and its bots together, in messages, workspaces and apps'),
    tierBytes: z.record(z.string(), positive).describe('the same for accounts of a tier, by its id'),
    unverifiedBytes: positive.describe(
      'files of an account whose e-mail address is not proven, if its tier allows more',
    ),
    serverBytes: positive.describe('files of a server: of its messages, workspace and apps, its pictures and emoji'),
    installationBytes: positive
      .nullable()
      .describe('all that is stored, each content once, with thumbnails and what is not collected yet; null: no bound'),
  }),
  blobs: z.strictObject({
    graceSeconds: positive.describe('how long an unreferenced file is kept'),
    s3: s3FileSettings,
  }),
  pictures: pictureSettings,
  previews: previewSettings,
  search: z.strictObject({
    waitMs: milliseconds.describe('how long a search waits at most until all is indexed that was sent before it'),
  }),
  audit: z.strictObject({ keepDays: z.number().int().min(7).describe('days that the audit log keeps entries') }),
  notifications: z.strictObject({ readDays: positive.describe('how long read notifications are kept') }),
  push: pushFileSettings,
  shutdown: z.strictObject({
    graceMs: milliseconds.describe('how long requests may go on while a node stops'),
    spreadMs: milliseconds.describe('longest period over which a stopping node moves its clients elsewhere'),
  }),
});

export type FileSettings = z.infer<typeof fileSchema>;
