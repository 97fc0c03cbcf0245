import type { OwnUser } from '../../../client/index.ts';
import { languageOf } from '../../../contract/languages.ts';
import type { Core } from './session.ts';

/** A device knows what nobody has chosen yet: in which language and by which clock its user reads. Both stay until they are changed. */
export async function noteLocale(
  { client, surroundings }: Pick<Core, 'client' | 'surroundings'>,
  user: OwnUser,
  setMe: (user: OwnUser) => void,
): Promise<void> {
  if (user.secondFactor === 'required' || (user.language !== null && user.timeZone !== null)) return;
  const language = user.language ?? languageOf(surroundings.languages);
  const timeZone = user.timeZone ?? surroundings.timeZone;
  if (language === user.language && timeZone === user.timeZone) return;
  try {
    setMe(await client.rest('PATCH /api/auth/me', { body: { language, timeZone } }));
  } catch {
    // Nobody asked for it; the next start of the page does it.
  }
}
