import { useState } from 'preact/hooks';

/** Stands at the end of a list of which there is more. */
export function More({ onMore }: { onMore(): Promise<unknown> }) {
  const [busy, setBusy] = useState(false);
  const fetch = async () => {
    setBusy(true);
    await onMore();
    setBusy(false);
  };
  return (
    // It is not disabled meanwhile: that would take the focus away from it.
    <button type="button" class="button quiet more" aria-busy={busy} onClick={() => !busy && void fetch()}>
      {busy ? 'One moment…' : 'Show more'}
    </button>
  );
}
