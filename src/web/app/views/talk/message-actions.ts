import type { Message } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { saveForLater, unsave } from '../later/saving.ts';
import type { MenuItem } from '../parts/Menu.tsx';
import type { AppState } from '../useApp.ts';
import { mayModerate, mayUsually } from './permissions.ts';

/** Something that one does with a message. */
export interface Action extends MenuItem {
  icon: NonNullable<MenuItem['icon']>;
  /** Does it while the message has the focus. */
  key: string;
}

/** What opens a dialog. */
export interface Asking {
  askToDelete(): void;
  remind(): void;
  forward(): void;
}

export interface Actions {
  /** What most people do: each has a button. */
  usual: Action[];
  /** The others, for a menu. */
  more: Action[];
}

/** What the user may do with a message, besides reacting to it. */
export function actionsFor(texts: Texts, app: AppState, message: Message, asking: Asking): Actions {
  const usual = [replyTo(texts, app, message), openThread(texts, app, message), keepForLater(texts, app, message)];
  const more = [
    copyLink(texts, app, message),
    { label: texts.t('Forward'), icon: 'forward' as const, key: 'w', run: asking.forward },
    { label: texts.t('Remind me'), icon: 'clock' as const, key: 'm', run: asking.remind },
    markUnread(texts, app, message),
    pin(texts, app, message),
    ...concerning(texts, app, message, asking),
  ];
  return { usual: usual.filter((action) => action !== null), more: more.filter((action) => action !== null) };
}

function replyTo({ t }: Texts, app: AppState, message: Message): Action | null {
  if (!mayUsually(app, message.channelId, 'message:post')) return null;
  return { label: t('Reply'), icon: 'reply', key: 'r', run: () => app.drafts.replies.answer(message) };
}

function openThread({ t }: Texts, app: AppState, message: Message): Action | null {
  const { id, channelId, thread, threadId } = message;
  const mayStart = mayUsually(app, channelId, 'message:post') && mayUsually(app, channelId, 'thread:start');
  if (threadId || !(thread || mayStart)) return null;
  const serverId = app.servers.current.value?.id ?? null;
  // It begins with its first reply.
  const path = thread ? pathTo.thread(serverId, channelId, thread.id) : pathTo.newThread(serverId, channelId, id);
  return { label: t('Thread'), icon: 'thread', key: 't', run: () => app.navigate(path) };
}

function keepForLater(texts: Texts, app: AppState, { id }: Message): Action {
  const saved = app.saved.of(id);
  const common = { icon: 'bookmark', key: 's' } as const;
  return saved
    ? { ...common, label: texts.t('Remove from saved'), run: () => void unsave(texts, app, saved.id) }
    : { ...common, label: texts.t('Save'), run: () => void saveForLater(texts, app, id) };
}

function copyLink({ t }: Texts, app: AppState, message: Message): Action | null {
  // Only secure pages have a clipboard.
  if (!navigator.clipboard) return null;
  const copy = async () => {
    const path = pathTo.messageOrThread(app.servers.current.value?.id ?? null, message);
    await navigator.clipboard.writeText(location.origin + path);
    app.showToast(t('The link is copied.'));
  };
  return { label: t('Copy link'), icon: 'link', key: 'l', run: () => void app.attempt(copy) };
}

function markUnread({ t }: Texts, app: AppState, { id }: Message): Action {
  const run = () => void app.attempt(() => app.unread.markUnread(id));
  return { label: t('Mark unread from here'), icon: 'unread', key: 'u', run };
}

function pin({ t }: Texts, app: AppState, { id: messageId, channelId, isPinned }: Message): Action | null {
  if (!mayModerate(app, channelId, 'message:pin') && app.servers.current.value !== null) return null;
  const params = { channelId, messageId };
  const turn = () =>
    isPinned
      ? app.client.rest('DELETE /api/channels/:channelId/pins/:messageId', params)
      : app.client.rest('PUT /api/channels/:channelId/pins/:messageId', params);
  return { label: isPinned ? t('Unpin') : t('Pin'), icon: 'pin', key: 'p', run: () => void app.attempt(turn) };
}

/** What depends on whose message it is; what cannot be undone comes last. */
function concerning({ t }: Texts, app: AppState, message: Message, { askToDelete }: Asking): Action[] {
  const { id, authorId, channelId } = message;
  const isOwn = authorId === app.me.value?.id;
  const edit = () => {
    app.drafts.editing.value = id;
  };
  const report = () => app.reporting.open({ what: { kind: 'message', messageId: id }, name: t('this message') });
  const mayEdit = isOwn && mayUsually(app, channelId, 'message:post');
  const mayDelete = isOwn || mayModerate(app, channelId, 'message:delete-others');
  const all: (Action | false)[] = [
    mayEdit && { label: t('Edit'), icon: 'edit', key: 'e', run: edit },
    !isOwn && { label: t('Report'), icon: 'shield', key: 'f', run: report },
    mayDelete && { label: t('Delete'), icon: 'trash', key: 'delete', danger: true, run: askToDelete },
  ];
  return all.filter((action) => action !== false);
}
