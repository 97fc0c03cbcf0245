import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, RestInput } from '../../../../client/index.ts';
import { errorText } from '../../state/toasts.ts';
import { ConfirmIdentity } from '../frame/ConfirmIdentity.tsx';
import { Button } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Form, Problem } from '../parts/Form.tsx';
import { mayOf } from '../parts/scopes.ts';
import { useApp, usePage, useTexts } from '../useApp.ts';
import { Gate } from './Gate.tsx';

type Consent = RestAnswer<'POST /api/oauth/authorizations/look'>;
type Asked = RestInput<'POST /api/oauth/authorizations/look'>['body'];

/** The page that an app sends its user to, who lets it act for them, or does not (contract §3, OAuth apps). */
export function Authorize({ asked: query }: { asked: string }) {
  const texts = useTexts();
  const { rich, t } = texts;
  const { account, setTitle } = usePage();
  // It is shown to someone who is signed out, too, whom an app does not want to be asked anything.
  const [client] = useState(() => account.client);
  const [asked] = useState(() => parametersOf(query));
  const [consent, setConsent] = useState<Consent | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [left, setLeft] = useState(false);
  const leave = (address: string) => {
    setLeft(true);
    location.assign(address);
  };
  useEffect(() => {
    setTitle(t('Allow an app'));
    client.rest('POST /api/oauth/authorizations/look', { body: asked }).then(
      (found) => (found.refusedTo !== null && isTrusted(found) ? leave(found.refusedTo) : setConsent(found)),
      (reason) => setError(errorText(reason, texts)),
    );
  }, []);
  const decide = async (allow: boolean) => {
    const { redirectTo } = await client.rest('POST /api/oauth/authorizations', { body: { ...asked, allow } });
    leave(redirectTo);
  };
  // An app of this device is opened beside this page.
  if (left) return <Ended text={t('You can close this page now.')} />;
  if (!consent) return <Ended text={null} problem={error} />;
  const { refusedTo } = consent;
  if (refusedTo !== null) return <Refused consent={consent} back={() => leave(refusedTo)} />;
  return (
    <Question consent={consent} decide={decide}>
      <p class="faint">
        {rich('Then you are sent to {place}.', { place: <strong dir="auto">{consent.redirectHost}</strong> })}
      </p>
    </Question>
  );
}

/** Whether a browser may be sent on by a mere link: to the site of an app that someone here answers for. */
const isTrusted = ({ app, refusedTo }: Consent) => !app.isSelfRegistered && /^https?:/.test(refusedTo ?? '');

/** What an app asked for cannot be allowed, and the person decides whether to go there: anyone can have made the link. */
function Refused({ consent: { app, redirectHost, problem }, back }: { consent: Consent; back(): void }) {
  const { rich, t } = useTexts();
  return (
    <Gate>
      <h2>{rich('{name} asked for something that does not work here', { name: <bdi>{app.name}</bdi> })}</h2>
      <Problem text={problem} />
      <p class="note">{t('Nothing was allowed. Go back only if you came from this app.')}</p>
      <Button label={t('Back to {place}', { place: redirectHost })} kind="quiet" onClick={back} />
      <Links />
    </Gate>
  );
}

/** The page where the user of a device without a browser enters the code that it shows. */
export function AllowDevice({ asked }: { asked: string }) {
  const { t } = useTexts();
  const { client, setTitle } = useApp();
  const [code, setCode] = useState(() => new URLSearchParams(asked).get('code') ?? '');
  const [consent, setConsent] = useState<Omit<Consent, 'redirectHost' | 'refusedTo' | 'problem'> | null>(null);
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => setTitle(t('Allow a device')), []);
  const look = async (userCode: string) => {
    setCode(userCode);
    setConsent(await client.rest('POST /api/oauth/devices/look', { body: { userCode } }));
  };
  const decide = async (allow: boolean) => {
    await client.rest('POST /api/oauth/devices', { body: { userCode: code, allow } });
    setOutcome(allow ? t('The device is allowed. You can close this page now.') : t('The device was not allowed.'));
  };
  if (outcome !== null) return <Ended text={outcome} />;
  if (consent) {
    return (
      <Question consent={consent} decide={decide}>
        <p class="note">
          {t('Allow this only if the device is in front of you. Anyone who sent you the code could act as you.')}
        </p>
      </Question>
    );
  }
  return (
    <Gate>
      <Form action={t('Continue')} work={({ text }) => look(text('code'))} class="gateway">
        <p class="note">{t('Enter the code that the device shows.')}</p>
        <Field label={t('Code')} name="code" value={code} maxlength={40} required autofocus />
      </Form>
    </Gate>
  );
}

interface QuestionProps {
  consent: Pick<Consent, 'app' | 'scopes' | 'isGrave'>;
  decide(allow: boolean): Promise<void>;
  children: ComponentChildren;
}

function Question({ consent: { app, scopes, isGrave }, decide, children }: QuestionProps) {
  const texts = useTexts();
  const { rich, t } = texts;
  const { me } = useApp();
  const isSeen = useSeen();
  const [refused, setRefused] = useState<string | null>(null);
  const refuse = () => void decide(false).catch((reason) => setRefused(errorText(reason, texts)));
  return (
    <Gate>
      <Form
        action={t('Allow')}
        work={() => decide(true)}
        ready={isSeen}
        class={isGrave ? 'gateway grave' : 'gateway'}
        beside={
          <button type="button" class="button quiet" onClick={refuse}>
            {t('Do not allow')}
          </button>
        }
      >
        <h2>{rich('{name} wants to act for you', { name: <bdi>{app.name}</bdi> })}</h2>
        {app.website && (
          <p class="faint" dir="auto">
            {app.website}
          </p>
        )}
        <p>{rich('You are signed in as {name}.', { name: <strong>@{me.value?.username}</strong> })}</p>
        <p>{t('It can:')}</p>
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>{mayOf(texts, scope)}</li>
          ))}
        </ul>
        {app.isSelfRegistered && (
          <p class="note problem">
            {t(
              'Nobody here knows this app: it chose its name itself. Allow it only if you have just begun this yourself.',
            )}
          </p>
        )}
        {isGrave && (
          <p class="note problem">{t('It could do almost anything as you, including things you cannot undo.')}</p>
        )}
        {children}
        <Problem text={refused} />
      </Form>
      <ConfirmIdentity />
    </Gate>
  );
}

/** Long enough that nobody presses the button who meant what was there before. */
const seenMs = 700;

/** Whether the page has been looked at for a moment. */
function useSeen(): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), seenMs);
    return () => clearTimeout(timer);
  }, []);
  return isSeen;
}

function Ended({ text, problem = null }: { text: string | null; problem?: string | null }) {
  return (
    <Gate>
      {text && (
        <p class="note" role="status">
          {text}
        </p>
      )}
      <Problem text={problem} />
      {(text ?? problem) && <Links />}
    </Gate>
  );
}

function Links() {
  const { t } = useTexts();
  return (
    <nav class="links" aria-label={t('Other options')}>
      <a href="/app">{t('To Parley')}</a>
    </nav>
  );
}

/** The parameters by the names of the protocol. One that is given twice is not valid, and counts as none (RFC 6749 §3.1). */
function parametersOf(query: string): Asked {
  const given = new URLSearchParams(query);
  const one = (name: string) => {
    const [value, ...others] = given.getAll(name);
    return others.length > 0 ? undefined : value;
  };
  return {
    client_id: one('client_id') ?? '',
    redirect_uri: one('redirect_uri') ?? '',
    response_type: one('response_type'),
    response_mode: one('response_mode'),
    scope: one('scope'),
    state: one('state'),
    code_challenge: one('code_challenge'),
    code_challenge_method: one('code_challenge_method'),
    nonce: one('nonce'),
    resource: one('resource'),
    prompt: one('prompt'),
    max_age: one('max_age'),
  };
}
