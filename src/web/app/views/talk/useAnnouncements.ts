import { useEffect } from 'preact/hooks';
import { announce } from '../../state/announcer.ts';
import { me, parley } from '../../state/client.ts';

/** Reads out what others say where one is. Of a reply that is being made only that it is: its pieces would be noise. */
export function useAnnouncements(channelId: string, threadId: string | null): void {
  useEffect(() => {
    const channel = parley.channel(channelId);
    const ends = [
      channel.listen('message:new', (message) => {
        if (message.authorId === me.peek()?.id || message.threadId !== threadId || message.isDeleted) return;
        announce(`${message.author.displayName}: ${message.content}`);
      }),
      channel.listen('message:stream', ({ author, offset, delta, aborted, ...reply }) => {
        if (reply.threadId !== threadId) return;
        if (aborted) announce('The reply was not finished.');
        else if (author && offset === 0 && delta !== '') announce(`${author.displayName} is writing…`);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [channelId, threadId]);
}
