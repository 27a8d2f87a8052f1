# syntax=docker/dockerfile:1
# Mailroom in one image. The command says which parts run: deploy/compose.yaml and deploy/kubernetes show it on several machines.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /mailroom
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
# As the program itself installs what is missing (cli/install.js).
RUN npm install --omit=dev --no-audit --no-fund --loglevel=error
COPY . .

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production \
    NODE_COMPILE_CACHE=/tmp/mailroom-compiled \
    MAILROOM_DATA=/data \
    MAILROOM_HTTP_HOST=0.0.0.0 \
    MAILROOM_SMTP_HOST=0.0.0.0
WORKDIR /mailroom
COPY --from=build /mailroom /mailroom
# The dashboard is made at the first start, and kept there.
RUN groupadd --system --gid 10001 mailroom \
    && useradd --system --uid 10001 --gid mailroom --no-create-home mailroom \
    && mkdir -p /mailroom/node_modules/.cache /data \
    && chown mailroom:mailroom /mailroom/node_modules/.cache /data \
    && chmod 700 /data
USER 10001:10001
VOLUME /data
EXPOSE 8080 2525 2587 2465 2143 2993
STOPSIGNAL SIGTERM
# An installation with the API; the other parts are looked at by their ports.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:8080/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "cli/bin.js"]
CMD ["serve"]
