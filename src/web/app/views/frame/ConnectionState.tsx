import { connection, parley } from '../../state/client.ts';

/** Says honestly what can be expected; its room is always there, so nothing jumps. */
export function ConnectionState() {
  const { status, via } = connection.value;
  return (
    <div class={`connection ${status === 'live' ? 'live' : 'not-live'}`} role="status">
      <span class="dot" aria-hidden="true" />
      {status === 'live' && (via === 'socket' ? 'Connected' : 'Connected, a little slower')}
      {status === 'catching up' && 'Catching up…'}
      {status === 'offline' && (
        <>
          Offline
          <button type="button" class="link" onClick={() => parley.retryNow()}>
            Try now
          </button>
        </>
      )}
    </div>
  );
}
