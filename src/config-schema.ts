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
    issuer: z.string(),
    accessTokenSeconds: positive,
    refreshTokenSeconds: positive,
    refreshTokenAbsoluteSeconds: positive,
    refreshGraceSeconds: positive,
    agentTokenSeconds: positive,
    expiryWarningSeconds: positive,
    emailCode: z.strictObject({ seconds: positive, tries: positive }),
    passwordResetSeconds: positive,
    oauth: z.strictObject({ stateSeconds: positive, timeoutMs: positive, keysCooldownMs: positive }),
    personalTokens: positive,
    password: z.strictObject({
      memoryKib: positive,
      timeCost: positive,
      parallelism: positive,
      concurrency: positive,
      queue: positive,
    }),
    tiers: z.array(tier).min(1),
    inviteTier: z.string(),
  }),
  agents: z.strictObject({
    tokenOverlapSeconds: positive,
    heartbeatSeconds: positive,
    maxPerOwner: positive,
    loopInRow: positive,
    loopPerMinute: positive,
    loopFollowSeconds: positive,
    streamIdleSeconds: positive,
  }),
  webhooks: z.strictObject({
    /** How long an answer may take. */
    timeoutMs: positive,
    /** After so long without a sign of the node that is at it, another one goes on. */
    leaseSeconds: positive,
    pollMs: positive,
    /** The wait before the second try; each further one is twice as long, up to the limit. */
    retryMs: positive,
    retryMaxMs: positive,
    giveUpSeconds: positive,
    secretOverlapSeconds: positive,
    /** Requests at once, of a node and of one webhook on it. */
    concurrency: positive,
    perWebhook: positive,
  }),
  database: z.strictObject({
    poolSize: positive,
    connectTimeoutMs: positive,
    statementTimeoutMs: positive,
    slowStatementMs: z.number().int().min(0),
  }),
  delivery: z.strictObject({
    batchSize: positive,
    queueLength: positive,
    queueBytes: positive,
    sendTimeoutMs: positive,
    gapWaitMs: positive,
    sweepMs: positive,
    tailEvents: positive,
    tailBytes: positive,
    tailBytesPerNode: positive,
    idleStreamMs: positive,
    retentionDays: z.number().positive(),
    retentionEvents: positive,
    recoverySeconds: positive,
    recoveryEvents: positive,
  }),
  sockets: z.strictObject({
    pingIntervalMs: positive,
    pingTimeoutMs: positive,
    maxPayloadBytes: positive,
    maxBufferedBytes: positive,
    maxBufferedPackets: positive,
    /** How many of a user's DMs, the last used ones, a socket is put into when it connects. */
    followedDms: positive,
  }),
  limits: z.strictObject({ jsonBodyBytes: positive, uploadBytes: positive, attachmentBytes: positive }),
  presence: presenceSettings,
  mail: z.strictObject({ queue: positive, attempts: positive, retryMs: positive, timeoutMs: positive }),
  rates: z.strictObject({
    auth: rate,
    emailStart: rate,
    resetStart: rate,
    mailbox: rate,
    loginFailures: rate,
    refresh: rate,
    oauth: rate,
    redeem: rate,
    messages: rate,
    botMessages: rate,
    events: rate,
    joins: rate,
    deltas: rate,
    uploads: rate,
    search: rate,
    modelProxy: rate,
    webhooks: rate,
  }),
  modelProxy: z.strictObject({
    tokenDays: positive,
    tokensPerUser: positive,
    connectTimeoutMs: positive,
    answerTimeoutMs: positive,
    idleTimeoutMs: positive,
    maxAnswerBytes: positive,
  }),
  workspace: z.strictObject({
    quotaBytes: positive,
    // The ZIP format that the downloads have knows no more entries.
    maxNodes: positive.max(65_000),
    maxDepth: positive.max(100),
  }),
  apps: z.strictObject({
    bundle: z.strictObject({ entries: positive, bytes: positive }),
    proxy: z.strictObject({ timeoutMs: positive, maxBytes: positive, concurrency: positive }),
  }),
  blobs: z.strictObject({ graceSeconds: positive }),
  /** How long notifications are kept once they were read. */
  notifications: z.strictObject({ readDays: positive }),
  shutdown: z.strictObject({ graceMs: positive }),
});

export type FileSettings = z.infer<typeof fileSchema>;
