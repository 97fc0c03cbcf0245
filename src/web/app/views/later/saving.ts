import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import type { AppState } from '../useApp.ts';

/** Saves a message without a reminder. */
export const saveForLater = ({ t }: Texts, app: AppState, messageId: string): Promise<boolean> =>
  app.attempt(async () => {
    await app.client.rest('POST /api/later', { body: { messageId } });
    app.showToast(t('Saved for later.'), 'good', pathTo.later('saved'));
  });

/** Takes a message out of what is saved, with its reminder. */
export const unsave = ({ t }: Texts, app: AppState, id: string): Promise<boolean> =>
  app.attempt(async () => {
    await app.client.rest('DELETE /api/later/:id', { id });
    app.showToast(t('It is no longer saved.'), 'good');
  });
