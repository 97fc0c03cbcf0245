import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';

/** Only secure pages of browsers that know passkeys have them. */
export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

/** Has the browser ask for a passkey. @throws Error when the user declined, or has none here */
export async function askPasskey(texts: Texts, options: RestAnswer<'POST /api/auth/passkeys/sign-in/start'>) {
  // Few need it, so it is loaded for them alone.
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return startAuthentication({ optionsJSON: options }).catch((cause) => unused(texts, cause));
}

/** Has the browser make a passkey. @throws Error when the user declined, or the device has one already */
export async function makePasskey(texts: Texts, options: RestAnswer<'POST /api/auth/passkeys/start'>) {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return startRegistration({ optionsJSON: options }).catch((cause) => unused(texts, cause));
}

/** Browsers do not tell pages why. */
function unused({ t }: Texts, cause: unknown): never {
  const isKnown = cause instanceof Error && cause.name === 'InvalidStateError';
  const text = isKnown
    ? t('This device has a passkey for your account already.')
    : t('No passkey was used. Try again.');
  throw new Error(text, { cause });
}
