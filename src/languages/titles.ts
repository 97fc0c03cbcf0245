import type { NotificationKind } from '../contract/notification.ts';
import type { Message } from './catalogue.ts';
import type { Values } from './message.ts';
import { valuesIn } from './pattern.ts';

/**
 * What the titles of notifications say. In records they are in English, with the names of that moment in them (contract §7);
 * from these they are read again, to be said in another language.
 */
const titles: Readonly<Record<NotificationKind, readonly Message[]>> = {
  'message.mention': ['{name} mentioned you in #{channel}'],
  'message.keyword': ['{name} wrote “{keyword}” in #{channel}', '{name} used one of your keywords in #{channel}'],
  'message.reply': ['{name} replied to you in #{channel}'],
  'thread.reply': ['{name} replied in a thread in #{channel}'],
  'channel.message': ['{name} wrote in #{channel}'],
  'dm.message': ['{name} in a group'],
  'friendship.request': ['{name} wants to be friends with you'],
  'friendship.accepted': ['{name} is your friend now'],
  'server.member_joined': ['{name} joined {server}'],
  'server.kicked': ['You were removed from {server}'],
  'server.banned': ['You were banned from {server}'],
  'server.timed_out': ['You are timed out in {server}'],
  'server.invite': ['{name} invites you to {server}'],
  'server.join_request': ['{name} asks to join {server}'],
  'server.raid': ['Raid mode is on in {server}: who joins waits for approval'],
  'channel.member_added': ['{name} added you to #{channel}'],
  'channel.join_request': ['{name} asks to join #{channel}'],
  'agent.webhook_stopped': ['Nothing is delivered to the webhook of {name} any more'],
  'agent.webhook_set': ['The webhook of {name} has a new address'],
  'agent.token_created': ['{name} has a new token'],
  'account.export_ready': ['The export of your account is ready'],
  'account.export_failed': ['The export of your account failed'],
  'server.offered': ['{name} wants you to own {server}'],
  // Those of earlier versions have the second.
  'agent.offered': ['{name} wants you to own a bot', '{name} wants you to own an agent'],
  'message.held_approved': ['Your message in #{channel} was approved'],
  'message.held_rejected': ['Your message in #{channel} was not approved'],
  'report.decided': ['What you reported was decided'],
  'later.reminder': ['Reminder: a message from {name}', 'Reminder: a message that is gone', 'Reminder'],
  'message.not_sent': ['A scheduled message was not sent'],
};

/** A title in another language. One that is a name alone, or of another version, stays as it is. */
export function titleIn(
  translate: (message: Message, values: Values) => string,
  kind: NotificationKind,
  title: string,
): string {
  // What a later version calls in another way stays as it is.
  const known: readonly Message[] | undefined = titles[kind];
  for (const message of known ?? []) {
    const values = valuesIn(message, title);
    if (values) return translate(message, values);
  }
  return title;
}

/** What a notification says below its title, in another language: the error that it tells of. What people wrote stays as it is. */
export function bodyIn(errorOf: (code: string) => string | null, said: { body: string; code?: string }): string {
  return (said.code === undefined ? null : errorOf(said.code)) ?? said.body;
}
