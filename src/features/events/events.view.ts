import { payloadWithoutInviteCodes } from '../../access/invite-codes.ts';
import type { Actor } from '../../contract/actor.ts';
import type { Page } from '../../delivery/catch-up.ts';

/** A page as JSON text: the payloads are text already, so they are inserted as is. */
export function pageText(page: Page, actor: Actor): string {
  const events = page.entries.map((entry) => {
    const json = actor.personalTokenId ? payloadWithoutInviteCodes(entry) : entry.json;
    return `{"seq":${entry.seq},"event":${JSON.stringify(entry.event)},"data":${json}}`;
  });
  const rest = `"seq":${page.seq},"recovered":${page.recovered},"hasMore":${page.hasMore}`;
  return `{"events":[${events.join(',')}],${rest}}`;
}

/** A page as an object, for acks. */
export function pageRecord(page: Page) {
  const events = page.entries.map(({ seq, event, json }) => {
    const data: Record<string, unknown> = JSON.parse(json);
    return { seq, event, data };
  });
  return { events, seq: page.seq, recovered: page.recovered, hasMore: page.hasMore };
}
