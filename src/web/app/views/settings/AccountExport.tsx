import { useEffect } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Texts } from '../../state/texts.ts';
import { Button } from '../parts/Button.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** While it is prepared. */
const lookAgainMs = 3000;

/** Everything that the account has here, to take along. */
export function AccountExport() {
  const texts = useTexts();
  const { t } = texts;
  const { attempt, client } = useApp();
  const look = () => client.rest('GET /api/auth/me/export', { query: { begin: 'false' } });
  const { value: found, load, after } = useLoaded(look, []);
  const isPreparing = found?.state === 'preparing';
  useEffect(() => {
    if (!isPreparing) return;
    // Failures to look are not shown: it looks again.
    const timer = setInterval(() => void load().catch(() => {}), lookAgainMs);
    return () => clearInterval(timer);
  }, [isPreparing]);
  const begin = () => after(() => client.rest('POST /api/auth/me/export'));
  const download = () =>
    void attempt(async () => location.assign((await client.rest('GET /api/auth/me/export/link')).url));
  return (
    <Block
      title={t('Your data')}
      about={t('Everything that your account has here as a ZIP file: pages to read, and JSON for programs.')}
    >
      <p class="faint" role="status">
        {found && tellsOf(texts, found)}
      </p>
      <div class="inline">
        {found?.state === 'ready' && <Button label={t('Download')} onClick={download} />}
        {found && !isPreparing && (
          <Button
            label={found.state === 'ready' ? t('Start a new one') : t('Start an export')}
            kind="quiet"
            onClick={begin}
          />
        )}
      </div>
    </Block>
  );
}

function tellsOf(
  { shortTime, t }: Texts,
  { state, readyAt, expiresAt, size }: RestAnswer<'GET /api/auth/me/export'>,
): string {
  if (state === 'preparing') return t('It is being prepared. You get a notification, and a mail, when it is ready.');
  if (state === 'failed') return t('The last one failed.');
  if (state === 'none' || !readyAt || !expiresAt) return t('There is no export.');
  const times = { time: shortTime(readyAt), end: shortTime(expiresAt) };
  return t('{size}, of {time}. It is deleted on {end}.', { size: sizeOf(size ?? 0), ...times });
}

const sizeOf = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
