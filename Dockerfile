# One image for every process; the command says which: gateway, identity, audience, messaging, content, migrate.
# docs/deployment.md tells how it is used. `node tools/deployment/check.mjs` runs these steps where no container engine is:
# it knows the instructions used here, and RUN may not name absolute paths.

FROM node:20.20.2-bookworm-slim AS base
WORKDIR /app

# All that `npm ci` reads and nothing else: while it stays the same, the layers with packages stay too.
FROM base AS manifests
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete

# Without install scripts: the only ones that matter belong to the embedded PostgreSQL, which is not shipped.
FROM base AS build
COPY --from=manifests /app ./
RUN npm ci --ignore-scripts
COPY . .
RUN npx tsc -b apps/gateway apps/identity apps/audience apps/messaging apps/content apps/standalone
RUN node tools/deployment/assemble.mjs shipped

# The embedded PostgreSQL's programs are optional dependencies, and the only ones that any process would miss.
FROM base AS packages
COPY --from=manifests /app ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM base AS final
LABEL org.opencontainers.image.title="Tidings" \
      org.opencontainers.image.description="A notification delivery service that platform teams run themselves" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/shipped ./

# The files belong to root and the process writes none of them: the root filesystem may be read-only.
# A number, so that Kubernetes can see that it is not root.
USER 1000:1000
EXPOSE 8080

# Whether the process is worth keeping. Whether work may be sent to it is asked by who sends: `bin/probe.mjs ready`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "bin/probe.mjs", "live"]

# Node itself is process 1: it gets SIGTERM, and stops in order within 30 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps", "bin/tidings.mjs"]
