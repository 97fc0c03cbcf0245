const given = new URLSearchParams(location.hash.slice(1));
// Tokens are not to stay in the address, nor in the history.
history.replaceState(null, '', location.pathname);

const show = (id, text) => {
  document.getElementById(id).textContent = text;
};
const linked = given.get('linked');
if (linked !== null) {
  show('title', 'The account is linked');
  show('message', 'From now on you can sign in with it, too.');
} else if (!given.get('access_token')) {
  show('title', 'Nothing to see here');
  show('message', 'This page ends a sign-in with another service. Begin in the app.');
}

// Anyone can write a link to this page, so where it leads is checked once more.
const redirect = given.get('redirect') ?? '/';
const target = redirect.startsWith('/') ? new URL(redirect, location.origin) : null;
if (target?.origin === location.origin && target.pathname !== '/') {
  const next = document.getElementById('next');
  next.href = target.pathname + target.search + target.hash;
  next.hidden = false;
}
