import { parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { currentServer } from '../../state/servers.ts';
import type { Timeline } from '../../state/timeline.ts';
import { attempt } from '../../state/toasts.ts';

/**
 * Shows the place of a message, and goes to where it is when that is elsewhere: not every link says whether it is in a
 * thread, and in which, and some messages are gone.
 */
export async function showMessage(timeline: Timeline, id: string): Promise<void> {
  await timeline.showAround(id);
  if (timeline.error.peek() || timeline.messages.peek().some((message) => message.id === id)) return;
  await attempt(async () => {
    const message = await parley.rest('GET /api/messages/:id', { id });
    const isElsewhere = message.threadId !== timeline.threadId;
    if (isElsewhere) go(pathTo.said(currentServer.peek()?.id ?? null, message), { replace: true });
  });
}
