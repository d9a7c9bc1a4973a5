# One image for every process; the command names the role: gateway, identity, audience, messaging, content,
# migrate, kafka-access.
# Usage: docs/deployment.md. `npm run test:release -- image` builds it with buildah, on a base that it makes: Node of the
# same version, and this machine's programs.

# 24.18.0; the digest decides.
ARG NODE_IMAGE=node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
FROM ${NODE_IMAGE} AS base
WORKDIR /app

# Only the files that `npm ci` reads: while they are unchanged, the layers with packages are cached.
FROM base AS manifests
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete

FROM base AS modules
COPY --from=manifests /app ./
RUN npm ci --omit=dev --ignore-scripts

# Types are checked before a commit lands (`npm run check`).
FROM modules AS build
COPY . .
RUN npx tsc -b --noCheck apps/gateway apps/identity apps/audience apps/messaging apps/content apps/standalone \
 && node tools/bundle.mjs && node tools/deployment/assemble.mjs shipped

FROM base AS final
LABEL org.opencontainers.image.title="Tidings" \
      org.opencontainers.image.description="A notification delivery service that platform teams run themselves" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
# The bundles contain the packages that they use.
COPY --from=build /app/shipped ./

# For the secrets that docker-compose.yml draws, a folder for each service: volumes get its owner.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /run/tidings \
      /run/tidings/gateway /run/tidings/identity /run/tidings/audience /run/tidings/messaging /run/tidings/content \
      /run/tidings/migrate /run/tidings/postgres /run/tidings/kafka /run/tidings/kafka-access

# Root owns the files and the process writes none: the root filesystem may be read-only.
# A numeric user, so that Kubernetes can check that it is not root.
USER 1000:1000
EXPOSE 8080

# Liveness only. Senders of work check readiness: `bin/probe.mjs ready`.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "bin/probe.mjs", "live"]

# Node is process 1: it gets SIGTERM and stops in order within 30 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "bin/tidings.mjs"]
