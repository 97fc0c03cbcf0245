import { useEffect, useRef } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { entitle } from '../../state/title.ts';
import { Icon } from '../parts/Icon.tsx';

/** A server's own page, in a frame with an origin of its own: it gets at nothing of this one. */
export function HomePage({ server }: { server: ServerRecord }) {
  const ref = useRef<HTMLIFrameElement>(null);
  const { name, homepageHtml } = server;
  useEffect(() => {
    entitle(name);
    const hand = ({ source }: MessageEvent) => {
      const stage = ref.current?.contentWindow;
      // Its origin has no name, so nobody else can be named as the one who may hear it.
      if (stage && source === stage) stage.postMessage(homepageHtml ?? '', '*');
    };
    addEventListener('message', hand);
    return () => removeEventListener('message', hand);
  }, [name, homepageHtml]);
  return (
    <section class="page">
      <header class="bar">
        <a class="icon back" href={pathTo.server(server.id)} aria-label="Back">
          <Icon name="back" />
        </a>
        <h1 class="title">
          <span class="name">{name}</span>
        </h1>
      </header>
      <iframe
        key={homepageHtml}
        ref={ref}
        title={`Home page of ${name}`}
        src="/app/stage"
        sandbox="allow-scripts allow-forms allow-popups"
        referrerpolicy="no-referrer"
      />
    </section>
  );
}
