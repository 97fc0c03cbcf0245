import { moveCategory, moveChannel } from '../../state/arranging.ts';
import type { AppState } from '../useApp.ts';
import type { Dragged, Target } from './dragging.ts';

/** Puts what was dragged where it was dropped. */
export async function put(app: AppState, serverId: string, { kind, id, from }: Dragged, target: Target): Promise<void> {
  const { section, channel, side } = target;
  const { category } = section;
  if (channel?.id === id || category?.id === id) return;
  if (kind === 'category') {
    const ids = app.categories.of(serverId).map((one) => one.id);
    const to = category ? ids.indexOf(category.id) : -1;
    // Downwards it comes after what it is dropped on, upwards before it.
    const before = to > ids.indexOf(id) ? to + 1 : to;
    await moveCategory(app, serverId, id, ids[before] ?? null);
    return;
  }
  const others = section.channels.filter((one) => one.id !== id);
  const at = channel ? others.findIndex((one) => one.id === channel.id) : -1;
  const before = others[channel && side === 'before' ? at : at + 1]?.id ?? null;
  if (section.kind === 'favorites') await app.favorites.place(id, before);
  else if (from.kind === 'favorites') await app.favorites.set(id, false);
  else await moveChannel(app, serverId, id, { categoryId: category?.id ?? null, before });
}
