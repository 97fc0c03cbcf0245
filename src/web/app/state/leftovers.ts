import { moveDraft, setDraft } from './drafts.ts';
import { dropComing, dropFile, filesFor, moveFiles } from './outgoing-files.ts';
import { place } from './router.ts';
import { tell } from './toasts.ts';

/** What was typed and not sent in a thread goes to the draft of its channel. @returns whether there was any */
export function moveToChannel(threadId: string, channelId: string): boolean {
  const hadFiles = filesFor(threadId).files.length > 0;
  moveFiles(threadId, channelId);
  return moveDraft(threadId, channelId) || hadFiles;
}

export function discardUnsent(key: string): void {
  setDraft(key, '');
  const { files, coming } = filesFor(key);
  for (const file of coming) dropComing(key, file);
  for (const file of files) dropFile(key, file);
}

/** A thread was deleted. Whoever looks at it finds there what they were writing; for others it would be nowhere. */
export function rescueFromThread(threadId: string, channelId: string): void {
  const { value } = place;
  if ('threadId' in value && value.threadId === threadId) return;
  if (!moveToChannel(threadId, channelId)) return;
  tell('A thread was deleted. What you were writing there is in the message field of its channel.');
}
