import { type NotificationKind, typeOfKind } from '../../contract/notification.ts';
import type { Rows } from '../../database/database.ts';
import type { SystemJob } from '../../jobs/notification.jobs.ts';
import { holdersOf, holdersWhoKnow } from '../members/audience.table.ts';
import type { NotificationDraft } from './draft.ts';
import { readInviteCodes, readNames, readReasons, stillPending } from './notice.table.ts';

/** Who is notified of anything but messages. A matter that needs no answer any more notifies nobody. */
export async function draftsOfSystem(rows: Rows, jobs: SystemJob[]): Promise<NotificationDraft[]> {
  if (jobs.length === 0) return [];
  const names = await readNames(rows, jobs);
  const pending = await stillPending(
    rows,
    jobs.filter(isRequest).flatMap(({ referenceId }) => referenceId ?? []),
  );
  const codes = await readInviteCodes(rows, jobs);
  const reasons = await readReasons(rows, jobs);
  const drafts: NotificationDraft[] = [];
  for (const job of jobs) {
    const { kind, senderId, serverId, channelId, referenceType, referenceId } = job;
    if (!isKind(kind)) continue;
    if (isRequest(job) && !pending.has(referenceId ?? '')) continue;
    const code = kind === 'server.invite' ? codes.get(serverId ?? '') : '';
    if (code === undefined) continue;
    const title = titleOf(kind, names.of(senderId), names.of(serverId), names.of(channelId));
    const rest = { at: new Date(job.at), onlyUnderAll: false, onlyIfUnread: false, isAnnounced: false };
    const place = { senderId, serverId, channelId, threadId: null, referenceType, referenceId };
    for (const userId of await recipients(rows, job)) {
      if (userId === job.by) continue;
      const body = reasons.get(`${kind} ${serverId} ${userId}`) ?? code;
      drafts.push({ userId, kind, ...place, title, body, ...rest });
    }
  }
  return drafts;
}

function isKind(kind: string): kind is NotificationKind {
  return kind in typeOfKind;
}

function isRequest({ kind }: SystemJob): boolean {
  return kind === 'server.join_request' || kind === 'channel.join_request';
}

async function recipients(rows: Rows, { to, serverId, channelId }: SystemJob): Promise<string[]> {
  if (to !== 'admins') return to;
  if (serverId === null) return [];
  if (channelId === null) return holdersOf(rows, serverId, 'join-request:decide');
  return (await holdersWhoKnow(rows, serverId, 'join-request:decide', [channelId])).get(channelId) ?? [];
}

function titleOf(kind: NotificationKind, sender: string, server: string, channel: string): string {
  switch (kind) {
    case 'friendship.request':
      return `${sender} wants to be friends with you`;
    case 'friendship.accepted':
      return `${sender} is your friend now`;
    case 'server.member_joined':
      return `${sender} joined ${server}`;
    case 'server.kicked':
      return `You were removed from ${server}`;
    case 'server.banned':
      return `You were banned from ${server}`;
    case 'server.timed_out':
      return `You are timed out in ${server}`;
    case 'server.invite':
      return `${sender} invites you to ${server}`;
    case 'server.join_request':
      return `${sender} asks to join ${server}`;
    case 'server.raid':
      return `Raid mode is on in ${server}: who joins waits for approval`;
    case 'channel.member_added':
      return `${sender} added you to #${channel}`;
    case 'channel.join_request':
      return `${sender} asks to join #${channel}`;
    case 'agent.webhook_stopped':
      return `Nothing is delivered to the webhook of ${sender} any more`;
    case 'agent.webhook_set':
      return `The webhook of ${sender} has a new address`;
    case 'agent.token_created':
      return `${sender} has a new token`;
    case 'account.export_ready':
      return 'The export of your account is ready';
    case 'account.export_failed':
      return 'The export of your account failed';
    case 'server.offered':
      return `${sender} wants you to own ${server}`;
    case 'agent.offered':
      return `${sender} wants you to own a bot`;
    case 'message.held_approved':
      return `Your message in #${channel} was approved`;
    case 'message.held_rejected':
      return `Your message in #${channel} was not approved`;
    case 'report.decided':
      return 'What you reported was decided';
    default:
      return sender;
  }
}
