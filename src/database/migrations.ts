import { setTimeout as delay } from 'node:timers/promises';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type pg from 'pg';
import type { Log } from '../infrastructure/log.ts';
import { entities } from './entities.ts';
import { isConflict, isLockTimeout } from './failures.ts';
import { Initial } from './migrations/0001-initial.ts';
import { Accounts } from './migrations/0010-accounts.ts';
import { MessageAuthors } from './migrations/0011-message-authors.ts';
import { Communities } from './migrations/0020-communities.ts';
import { People } from './migrations/0030-people.ts';
import { Notifications } from './migrations/0031-notifications.ts';
import { PresenceWishes } from './migrations/0032-presence.ts';
import { Quotes } from './migrations/0033-quotes.ts';
import { Blobs } from './migrations/0040-blobs.ts';
import { Workspaces } from './migrations/0041-workspace.ts';
import { Apps } from './migrations/0042-apps.ts';
import { Attachments } from './migrations/0045-attachments.ts';
import { Agents } from './migrations/0050-agents.ts';
import { ModelProxy } from './migrations/0052-model-proxy.ts';
import { Webhooks } from './migrations/0054-webhooks.ts';
import { ReadNotifications } from './migrations/0055-read-notifications.ts';
import { ChangedHeads } from './migrations/0056-changed-heads.ts';
import { UncheckedMessages } from './migrations/0057-unchecked-messages.ts';
import { UnspacedWords } from './migrations/0058-unspaced-words.ts';
import { SortedSearch } from './migrations/0059-sorted-search.ts';
import { UncheckedThreads } from './migrations/0060-unchecked-threads.ts';
import { WordsInTags } from './migrations/0061-words-in-tags.ts';
import { NamedThreads } from './migrations/0062-named-threads.ts';
import { SentKeys } from './migrations/0063-sent-keys.ts';
import { ClosedLogs } from './migrations/0064-closed-logs.ts';
import { SearchUnspaced } from './migrations/0065-search-unspaced.ts';
import { MentionedBots } from './migrations/0066-mentioned-bots.ts';
import { OpenQuestions } from './migrations/0067-open-questions.ts';
import { Looks } from './migrations/0068-looks.ts';
import { Invalidations } from './migrations/0069-invalidations.ts';
import { MessageExtras } from './migrations/0070-message-extras.ts';
import { AccountStanding } from './migrations/0071-account-standing.ts';
import { Bans } from './migrations/0074-bans.ts';
import { PolicyHalves } from './migrations/0075-policy-halves.ts';
import { OutdatedEntries } from './migrations/0077-outdated-entries.ts';
import { NotificationSources } from './migrations/0078-notification-sources.ts';
import { MadeBy } from './migrations/0080-made-by.ts';
import { Storage } from './migrations/0081-storage.ts';
import { Jobs } from './migrations/0082-jobs.ts';
import { PartitionedLog } from './migrations/0083-partitioned-log.ts';
import { MovedLogs } from './migrations/0095-moved-logs.ts';
import { NameSkeletons } from './migrations/0096-name-skeletons.ts';
import { ConfirmedSessions } from './migrations/0099-confirmed-sessions.ts';
import { EmailChanges } from './migrations/0100-email-changes.ts';
import { FormerUsernames } from './migrations/0101-former-usernames.ts';
import { SecurityNotices } from './migrations/0102-security-notices.ts';
import { SecondFactors } from './migrations/0105-second-factors.ts';
import { ProtectedRoles } from './migrations/0106-protected-roles.ts';
import { AccountExports } from './migrations/0110-account-exports.ts';
import { ReactionsByUser } from './migrations/0111-reactions-by-user.ts';
import { AccountDeletion } from './migrations/0113-account-deletion.ts';
import { Handovers } from './migrations/0114-handovers.ts';
import { FormerNames } from './migrations/0115-former-names.ts';
import { Pictures } from './migrations/0118-pictures.ts';
import { ClaimedAddresses } from './migrations/0122-claimed-addresses.ts';
import { MailedCodes } from './migrations/0123-mailed-codes.ts';
import { Roles } from './migrations/0130-roles.ts';
import { ViewOverrides } from './migrations/0131-view-overrides.ts';
import { RolesVersion } from './migrations/0133-roles-version.ts';
import { Timeouts } from './migrations/0135-timeouts.ts';
import { SlowMode } from './migrations/0136-slow-mode.ts';
import { ServerInvites } from './migrations/0138-server-invites.ts';
import { Raids } from './migrations/0139-raids.ts';
import { Reports } from './migrations/0141-reports.ts';
import { Operators } from './migrations/0142-operators.ts';
import { AuditLog } from './migrations/0146-audit-log.ts';
import { Filters } from './migrations/0149-filters.ts';
import { Retention } from './migrations/0153-retention.ts';
import { FlagReports } from './migrations/0155-flag-reports.ts';
import { LetInByOthers } from './migrations/0156-let-in-by-others.ts';
import { ReportResponsible } from './migrations/0157-report-responsible.ts';
import { ModerationIndexes } from './migrations/0158-moderation-indexes.ts';
import { EmojiForms } from './migrations/0160-emoji-forms.ts';
import { MergedReactions } from './migrations/0161-merged-reactions.ts';
import { SearchWords } from './migrations/0165-search-words.ts';
import { ThreadFollows } from './migrations/0170-thread-follows.ts';
import { ChannelLevels } from './migrations/0171-channel-levels.ts';
import { DueJobs } from './migrations/0175-due-jobs.ts';
import { Later } from './migrations/0176-later.ts';
import { DraftFiles } from './migrations/0179-draft-files.ts';
import { Groups } from './migrations/0180-groups.ts';
import { Push } from './migrations/0183-push.ts';
import { NotificationSettings } from './migrations/0186-notification-settings.ts';
import { Digests } from './migrations/0187-digests.ts';
import { Languages } from './migrations/0190-languages.ts';
import { LinkPreviews } from './migrations/0191-link-previews.ts';
import { MediaFacts } from './migrations/0192-media-facts.ts';
import { Polls } from './migrations/0194-polls.ts';
import { ServerEmojiTable } from './migrations/0195-server-emoji.ts';
import { SpoilerFiles } from './migrations/0196-spoiler-files.ts';
import { Forwards } from './migrations/0197-forwards.ts';
import { ReadReceipts } from './migrations/0198-read-receipts.ts';
import { CustomStatuses } from './migrations/0199-custom-statuses.ts';
import { LaterIndexes } from './migrations/0200-later-indexes.ts';
import { GoneExtras } from './migrations/0201-gone-extras.ts';
import { AttendedSessions } from './migrations/0202-attended-sessions.ts';
import { PushedAgain } from './migrations/0203-pushed-again.ts';
import { ForwardedHeld } from './migrations/0205-forwarded-held.ts';
import { ComponentsOfMessages } from './migrations/0210-components.ts';
import { Interactions } from './migrations/0211-interactions.ts';
import { CommandRules } from './migrations/0214-command-rules.ts';
import { CommandFiles } from './migrations/0215-command-files.ts';
import { Hooks } from './migrations/0217-hooks.ts';
import { ReplyStreams } from './migrations/0220-reply-streams.ts';
import { OAuthApps } from './migrations/0223-oauth-apps.ts';
import { AppTokens } from './migrations/0224-app-tokens.ts';
import { OAuthCodes } from './migrations/0225-oauth-codes.ts';
import { McpSubscriptions } from './migrations/0227-mcp-subscriptions.ts';
import { Answers } from './migrations/0228-answers.ts';
import { AgentFeeds } from './migrations/0229-agent-feeds.ts';
import { Rehearsals } from './migrations/0230-rehearsals.ts';
import { prepareLong } from './pools.ts';

/** All migrations, in the order in which they run. The final effect of released ones is never changed. */
export const migrations = [
  { name: '0001-initial', class: Initial },
  { name: '0010-accounts', class: Accounts },
  { name: '0011-message-authors', class: MessageAuthors },
  { name: '0020-communities', class: Communities },
  { name: '0030-people', class: People },
  { name: '0031-notifications', class: Notifications },
  { name: '0032-presence', class: PresenceWishes },
  { name: '0033-quotes', class: Quotes },
  { name: '0040-blobs', class: Blobs },
  { name: '0041-workspace', class: Workspaces },
  { name: '0042-apps', class: Apps },
  { name: '0045-attachments', class: Attachments },
  { name: '0050-agents', class: Agents },
  { name: '0052-model-proxy', class: ModelProxy },
  { name: '0054-webhooks', class: Webhooks },
  { name: '0055-read-notifications', class: ReadNotifications },
  { name: '0056-changed-heads', class: ChangedHeads },
  { name: '0057-unchecked-messages', class: UncheckedMessages },
  { name: '0058-unspaced-words', class: UnspacedWords },
  { name: '0059-sorted-search', class: SortedSearch },
  { name: '0060-unchecked-threads', class: UncheckedThreads },
  { name: '0061-words-in-tags', class: WordsInTags },
  { name: '0062-named-threads', class: NamedThreads },
  { name: '0063-sent-keys', class: SentKeys },
  { name: '0064-closed-logs', class: ClosedLogs },
  { name: '0065-search-unspaced', class: SearchUnspaced },
  { name: '0066-mentioned-bots', class: MentionedBots },
  { name: '0067-open-questions', class: OpenQuestions },
  { name: '0068-looks', class: Looks },
  { name: '0069-invalidations', class: Invalidations },
  { name: '0070-message-extras', class: MessageExtras },
  { name: '0071-account-standing', class: AccountStanding },
  { name: '0074-bans', class: Bans },
  { name: '0075-policy-halves', class: PolicyHalves },
  { name: '0077-outdated-entries', class: OutdatedEntries },
  { name: '0078-notification-sources', class: NotificationSources },
  { name: '0080-made-by', class: MadeBy },
  { name: '0081-storage', class: Storage },
  { name: '0082-jobs', class: Jobs },
  { name: '0083-partitioned-log', class: PartitionedLog },
  { name: '0095-moved-logs', class: MovedLogs },
  { name: '0096-name-skeletons', class: NameSkeletons },
  { name: '0099-confirmed-sessions', class: ConfirmedSessions },
  { name: '0100-email-changes', class: EmailChanges },
  { name: '0101-former-usernames', class: FormerUsernames },
  { name: '0102-security-notices', class: SecurityNotices },
  { name: '0105-second-factors', class: SecondFactors },
  { name: '0106-protected-roles', class: ProtectedRoles },
  { name: '0110-account-exports', class: AccountExports },
  { name: '0111-reactions-by-user', class: ReactionsByUser },
  { name: '0113-account-deletion', class: AccountDeletion },
  { name: '0114-handovers', class: Handovers },
  { name: '0115-former-names', class: FormerNames },
  { name: '0118-pictures', class: Pictures },
  { name: '0122-claimed-addresses', class: ClaimedAddresses },
  { name: '0123-mailed-codes', class: MailedCodes },
  { name: '0130-roles', class: Roles },
  { name: '0131-view-overrides', class: ViewOverrides },
  { name: '0133-roles-version', class: RolesVersion },
  { name: '0135-timeouts', class: Timeouts },
  { name: '0136-slow-mode', class: SlowMode },
  { name: '0138-server-invites', class: ServerInvites },
  { name: '0139-raids', class: Raids },
  { name: '0141-reports', class: Reports },
  { name: '0142-operators', class: Operators },
  { name: '0146-audit-log', class: AuditLog },
  { name: '0149-filters', class: Filters },
  { name: '0153-retention', class: Retention },
  { name: '0155-flag-reports', class: FlagReports },
  { name: '0156-let-in-by-others', class: LetInByOthers },
  { name: '0157-report-responsible', class: ReportResponsible },
  { name: '0158-moderation-indexes', class: ModerationIndexes },
  { name: '0160-emoji-forms', class: EmojiForms },
  { name: '0161-merged-reactions', class: MergedReactions },
  { name: '0165-search-words', class: SearchWords },
  { name: '0170-thread-follows', class: ThreadFollows },
  { name: '0171-channel-levels', class: ChannelLevels },
  { name: '0175-due-jobs', class: DueJobs },
  { name: '0176-later', class: Later },
  { name: '0179-draft-files', class: DraftFiles },
  { name: '0180-groups', class: Groups },
  { name: '0183-push', class: Push },
  { name: '0186-notification-settings', class: NotificationSettings },
  { name: '0187-digests', class: Digests },
  { name: '0190-languages', class: Languages },
  { name: '0191-link-previews', class: LinkPreviews },
  { name: '0192-media-facts', class: MediaFacts },
  { name: '0194-polls', class: Polls },
  { name: '0195-server-emoji', class: ServerEmojiTable },
  { name: '0196-spoiler-files', class: SpoilerFiles },
  { name: '0197-forwards', class: Forwards },
  { name: '0198-read-receipts', class: ReadReceipts },
  { name: '0199-custom-statuses', class: CustomStatuses },
  { name: '0200-later-indexes', class: LaterIndexes },
  { name: '0201-gone-extras', class: GoneExtras },
  { name: '0202-attended-sessions', class: AttendedSessions },
  { name: '0203-pushed-again', class: PushedAgain },
  { name: '0205-forwarded-held', class: ForwardedHeld },
  { name: '0210-components', class: ComponentsOfMessages },
  { name: '0211-interactions', class: Interactions },
  { name: '0214-command-rules', class: CommandRules },
  { name: '0215-command-files', class: CommandFiles },
  { name: '0217-hooks', class: Hooks },
  { name: '0220-reply-streams', class: ReplyStreams },
  { name: '0223-oauth-apps', class: OAuthApps },
  { name: '0224-app-tokens', class: AppTokens },
  { name: '0225-oauth-codes', class: OAuthCodes },
  { name: '0227-mcp-subscriptions', class: McpSubscriptions },
  { name: '0228-answers', class: Answers },
  { name: '0229-agent-feeds', class: AgentFeeds },
  { name: '0230-rehearsals', class: Rehearsals },
];

/**
 * Each in a transaction of its own, so that it does not prolong the locks of others: those that take long with many
 * messages, members or files, without blocking reads, one that waits only moments for its lock and then starts over, and one
 * that works in steps on what those before it have committed.
 */
const alone = new Set([
  '0065-search-unspaced',
  '0083-partitioned-log',
  '0158-moderation-indexes',
  '0161-merged-reactions',
  '0200-later-indexes',
]);

/** An attempt that deadlocks takes a second, PostgreSQL's `deadlock_timeout`. */
const attempts = 10;

/** The names of all migrations grouped by transaction, in order. */
function transactions(): string[][] {
  const found: string[][] = [[]];
  for (const { name } of migrations) {
    if (alone.has(name)) found.push([name], []);
    else found.at(-1)?.push(name);
  }
  return found.filter((names) => names.length > 0);
}

const prepared = (client: pg.ClientBase, done: (error?: Error) => void) => prepareLong(client).then(() => done(), done);

/** An ORM that can migrate, for a database that may be empty. */
export function migratingOrm(url: string): Promise<MikroORM> {
  return MikroORM.init({
    clientUrl: url,
    entities,
    extensions: [Migrator],
    driverOptions: { verify: prepared },
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations' },
    // Triggers, and views for older nodes, are created only by migrations.
    schemaGenerator: { ignoreTriggers: true, skipViews: [/./] },
    logger: () => {},
  });
}

/** A migration that limits how long it waits for a lock is meant to be repeated until it gets it, say until a dump is over. */
const lockPauseMs = 1000;

/** Older nodes keep running meanwhile and lock in their own order: a migration that conflicts with them is retried. */
async function undisturbed<T>(run: () => Promise<T>, log: Log): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const isPatient = isLockTimeout(error);
      if (!isConflict(error) || (attempt >= attempts && !isPatient)) throw error;
      log.info('The database is in use by other nodes; it is migrated once more.');
      if (isPatient) await delay(lockPauseMs * Math.min(attempt, attempts));
    }
  }
}

/** Runs the pending migrations. @returns their names */
export async function runPending(url: string, log: Log): Promise<string[]> {
  const orm = await migratingOrm(url);
  try {
    const names: string[] = [];
    for (const together of transactions()) {
      const done = await undisturbed(() => orm.migrator.up({ migrations: together }), log);
      names.push(...done.map((migration) => migration.name));
    }
    if (names.length > 0) log.info({ migrations: names }, 'The database was migrated.');
    return names;
  } finally {
    await orm.close(true);
  }
}
