import { signal } from '@preact/signals';
import { parley } from '../../state/client.ts';
import { keptKeys } from '../../state/kept.ts';
import { pathTo } from '../../state/router.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { isUnproven } from '../gate/VerifyEmail.tsx';
import { IconButton } from '../parts/IconButton.tsx';

const dismissed = signal(localStorage.getItem(keptKeys.unproven) !== null);

/** Mails another link and code. */
export const sendAgain = () =>
  attempt(async () => {
    await parley.rest('POST /api/auth/email-verification/start');
    tell('Another mail is on its way to you.');
  });

/** Reminds, quietly and until it is dismissed, that the address is not proven. */
export function Unproven() {
  if (dismissed.value || !isUnproven()) return null;
  const dismiss = () => {
    localStorage.setItem(keptKeys.unproven, 'yes');
    dismissed.value = true;
  };
  return (
    <p class="unproven">
      <span>
        <a href={pathTo.settings('account')}>Confirm your e-mail</a> by the code that was mailed to you.{' '}
        <button type="button" class="link" onClick={() => void sendAgain()}>
          Send again
        </button>
      </span>
      <IconButton icon="close" label="Not now" onClick={dismiss} />
    </p>
  );
}
