import { useState } from 'preact/hooks';
import type { ChannelRecord, ServerRecord } from '../../../../client/index.ts';
import type { Section } from '../../state/categories.ts';
import { type AppState, useApp } from '../useApp.ts';

/** What is being dragged in a server's list of channels. */
export interface Dragged {
  kind: 'channel' | 'category';
  id: string;
  from: Section;
}

/** Where it would go: beside an entry, or with no entry under a heading. */
export interface Target {
  section: Section;
  channel: ChannelRecord | null;
  side: 'before' | 'after';
}

type Over = DragEvent & { currentTarget: Element };

/**
 * Lets the user drag the channels of a server: with the permission to another place for everyone, else to and among their
 * favourites. The menus of the entries do the same without a mouse.
 */
export function useDragging(server: ServerRecord) {
  const app = useApp();
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const [target, setTarget] = useState<Target | null>(null);
  const end = () => {
    setDragged(null);
    setTarget(null);
  };
  // Each rendering makes new ones.
  const isAt = (section: Section, channel: ChannelRecord | null): boolean =>
    target?.section.key === section.key && target.channel?.id === channel?.id;
  const over = (section: Section, channel: ChannelRecord | null) => ({
    onDragOver(event: Over) {
      if (!dragged || !fits(app, server, dragged, section)) return;
      event.preventDefault();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const side = channel && event.clientY < top + height / 2 ? 'before' : 'after';
      if (!isAt(section, channel) || target?.side !== side) setTarget({ section, channel, side });
    },
    onDrop(event: Over) {
      event.preventDefault();
      if (dragged && target) void app.attempt(() => drop(app, server.id, dragged, target));
      end();
    },
  });
  const begin = (what: Dragged) => (event: DragEvent) => {
    if (event.dataTransfer) event.dataTransfer.effectAllowed = 'copyMove';
    setDragged(what);
  };
  return {
    /** For the entry of a channel. */
    entry(section: Section, channel: ChannelRecord) {
      return {
        class: target && isAt(section, channel) ? `drop-${target.side}` : undefined,
        onDragStart: begin({ kind: 'channel', id: channel.id, from: section }),
        onDragEnd: end,
        ...over(section, channel),
      };
    },
    /** For the heading of a section. */
    heading(section: Section) {
      const { category } = section;
      const mayMove = category !== null && app.rights.may(server, 'channel:order');
      return {
        class: isAt(section, null) ? 'section drop-after' : 'section',
        draggable: mayMove && !app.surroundings.isTouched(),
        onDragStart: mayMove ? begin({ kind: 'category', id: category.id, from: section }) : undefined,
        onDragEnd: end,
        ...over(section, null),
      };
    },
  };
}

function fits({ rights }: AppState, server: ServerRecord, { kind, from }: Dragged, { kind: to }: Section): boolean {
  if (kind === 'category') return to === 'category';
  if (to === 'favorites') return true;
  // A favourite that is dragged out of there is none any more; where it stands for everyone stays.
  return from.kind === 'favorites' || rights.may(server, 'channel:order');
}

/** What comes of it is loaded when it is first needed. */
async function drop(app: AppState, serverId: string, dragged: Dragged, target: Target): Promise<void> {
  const { put } = await import('./drop.ts');
  await put(app, serverId, dragged, target);
}
